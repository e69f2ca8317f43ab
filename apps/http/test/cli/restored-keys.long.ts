/** Tests what `petstore restore` reports about API keys, and how a production backup becomes a staging store. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Environment, environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { quoted } from "../../src/cli/pasted.js"
import { copiesOf } from "./copied-folders.js"

const json = async (environment: Environment, ...args: ReadonlyArray<string>) =>
  JSON.parse((await run(environment, ...args, "--json")).stdout)

const inFolder = (folder: string, deployment: string) => {
  const environment = environmentIn(folder, { PETSTORE_ENV: deployment })
  const newKey = () => json(environment, "keys", "create", "--account", "Pets & Co")
  return { folder, environment, newKey, path: join(folder, "petstore.db"), file: join(folder, "backup.db") }
}

/** A deployment's store with two keys, and its backup. */
const copied = copiesOf(async (folder, deployment: string) => {
  const { environment, newKey, file } = inFolder(folder, deployment)
  await run(environment, "accounts", "create", "Pets & Co")
  const keys = [await newKey(), await newKey()] as const
  await run(environment, "backup", file)
  return keys
})

const backedUp = async (deployment: string) => {
  const { folder, made: keys } = await copied(deployment)
  return { ...inFolder(folder, deployment), unnamed: environmentIn(folder), keys }
}

/** The command at the end of a message, split into words as a shell does. */
const shownCommand = (message: string): ReadonlyArray<string> => {
  const [, command = ""] = /petstore ((?:restore|keys create) .*)\n/.exec(message) ?? []
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain)
}

describe("petstore restore", () => {
  it("keeps keys created after the backup, does not reactivate keys revoked after it, and reports both", async () => {
    const { environment, keys, newKey, file } = await backedUp("staging")
    await run(environment, "keys", "revoke", keys[0].id)
    const later = await newKey()
    const { exitCode, stderr } = await run(environment, "restore", "--replace", file)
    expect({ exitCode, lines: stderr.trimEnd().split("\n") }).toEqual({
      exitCode: 0,
      lines: [
        "petstore: 1 key in the backup is revoked or limited in time, as in the previous store.",
        "petstore: 1 key from the previous store is kept, although the backup does not contain it.",
        "petstore: 2 keys are accepted now.",
      ],
    })
    const statuses = []
    const service = await serve(environment)
    for (const { key } of [...keys, later]) {
      statuses.push((await fetch(`${service.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })).status)
    }
    expect(statuses).toEqual([401, 200, 200])
  })

  it("revokes all keys if there is no previous store, and says how to create a key or accept the backup's keys", async () => {
    const { environment, file, path } = await backedUp("staging")
    rmSync(path)
    const { exitCode, stderr } = await run(environment, "restore", file)
    expect(exitCode).toBe(0)
    expect(stderr).toContain("2 keys in the backup are revoked: it is unknown whether they have been revoked since then.")
    expect(stderr).toContain("restore again with --with-keys.")
    expect(stderr).toContain(
      `0 keys are accepted now. Create a new one: DATABASE_URL=${quoted(`sqlite:${path}`)} petstore keys create`,
    )
    expect(shownCommand(stderr)).toEqual(["keys", "create", "--account", "Pets & Co"])
    expect(await run(environment, ...shownCommand(stderr))).toMatchObject({ exitCode: 0 })
    rmSync(path)
    const trusting = await run(environment, "restore", "--with-keys", file)
    expect(trusting.stderr).toContain("2 keys are accepted as in the backup, although it is unknown whether")
  })

  it("refuses another deployment's backup, and shows the command that restores it for this deployment", async () => {
    const { folder, unnamed, keys, file, path } = await backedUp("production")
    rmSync(path)
    const staging = environmentIn(folder, { PETSTORE_ENV: "staging" })
    const refused = await run(staging, "restore", file)
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${file} is a backup of production, and this command belongs to staging.`),
    })
    expect(shownCommand(refused.stderr)).toEqual(["restore", "--as", "staging", file])
    const { exitCode, stderr } = await run(unnamed, ...shownCommand(refused.stderr))
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining("2 keys in the backup are revoked: this store now belongs to staging."),
    })
    expect(await json(unnamed, "keys", "list")).toMatchObject(keys.map(({ id }) => ({ id, revokedAt: expect.any(String) })))
    expect(await run(staging, ...shownCommand(stderr), "--json")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("pst_test_"),
    })
    expect(await run(staging, "serve", "--check")).toMatchObject({ exitCode: 0 })
  })

  it.each([
    { given: ["--as", "staging", "--with-keys"], says: "leave out --with-keys" },
    { given: ["--as", "production"], says: "--as production and PETSTORE_ENV=staging contradict each other." },
    { given: ["--as", "nowhere"], says: "Allowed choices are development, staging, production." },
  ])("refuses $given", async ({ given, says }) => {
    const environment = environmentIn(temporaryFolder(), { PETSTORE_ENV: "staging" })
    const { exitCode, stderr } = await run(environment, "restore", "backup.db", ...given)
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(says) })
  })
})
