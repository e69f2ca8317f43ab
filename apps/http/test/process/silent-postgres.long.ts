/** A PostgreSQL server that stops responding, such as a suspended process or a server behind a network that drops packets. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createKey, environmentOf, petstore, run } from "@petstore/harness/command"
import { openProxy } from "@petstore/harness/proxy"
import { startService } from "@petstore/harness/serving"
import { temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

const environmentAt = (url: string) => environmentOf({ DATABASE_URL: url, LOG_LEVEL: "silent", PETSTORE_ENV: "staging" })

it("a silent server does not prevent a service from stopping", async () => {
  const line = await openProxy(await newPostgresDatabase())
  const environment = environmentAt(line.url)
  await petstore(environment, "accounts", "create", "caller")
  const { key } = await createKey(environment, "caller")
  const service = await startService(environment)
  try {
    const pets = await fetch(`${service.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })
    expect(await pets.text()).toBe("[]")
    line.silence()
    expect(await service.stop()).toBe(0)
  } finally {
    await service.kill()
    line.close()
  }
})

/** Runs a command against a server that falls silent at the given statement. */
const silentFrom = async (url: string, statement: string, ...args: ReadonlyArray<string>) => {
  const line = await openProxy(url)
  try {
    const silenced = new Promise<void>((resolve) =>
      line.onNext(statement, () => {
        queueMicrotask(line.silence)
        resolve()
        return "pass"
      }),
    )
    const ended = run(environmentAt(line.url), ...args)
    await silenced
    return await ended
  } finally {
    line.close()
  }
}

const fails = { exitCode: 1, stdout: "", stderr: expect.stringContaining("The database stopped responding") }

it("an import into a silent server fails", async () => {
  const url = await newPostgresDatabase()
  await petstore(environmentAt(url), "migrate")
  const file = join(temporaryFolder(), "pets.csv")
  writeFileSync(file, "name,categoryId\nAda,1\n")
  expect(await silentFrom(url, "INSERT INTO pets", "import", file)).toMatchObject(fails)
})

it("a migration on a silent server fails", async () => {
  expect(await silentFrom(await newPostgresDatabase(), "CREATE TABLE", "migrate")).toMatchObject({ ...fails, exitCode: 75 })
})

it("keys rotate prints the new key's secret even if the server falls silent after the commit", async () => {
  const url = await newPostgresDatabase()
  await petstore(environmentAt(url), "accounts", "create", "caller")
  const { id } = await createKey(environmentAt(url), "caller")
  let isInserting = false
  let isCommitting = false
  const line = await openProxy(url, () => ({
    ofCaller: (bytes) => {
      isInserting ||= bytes.includes("INSERT INTO api_keys")
      isCommitting ||= isInserting && bytes.includes("COMMIT")
      return bytes
    },
    ofServer: (bytes) => {
      if (isCommitting) queueMicrotask(line.silence)
      return bytes
    },
  }))
  try {
    const { exitCode, stdout } = await run(environmentAt(line.url), "keys", "rotate", id)
    expect(isCommitting).toBe(true)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^pst_test_\w+$/m) })
  } finally {
    line.close()
  }
})
