/** The data that survives `kill -9` (sentences 2.9, 4.2.50 and 12.10). */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { environmentOf } from "@petstore/harness/command"
import { everyPet } from "@petstore/harness/load"
import { startService } from "@petstore/harness/serving"
import { temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** Creates a pet whose name, category and idempotency key contain this number. Returns the response body. */
const create = async (baseUrl: string, key: string, number: number): Promise<string> => {
  const response = await fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Idempotency-Key": `crash-${number}` },
    body: `{"name":"pet ${number}","categoryId":${9_007_199_254_740_993n + BigInt(number)},"status":"sold"}`,
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`${response.status} ${text}`)
  return text
}

const inspect = (path: string) => {
  const database = new DatabaseSync(path)
  const responses = {
    ...database.prepare("PRAGMA integrity_check").get(),
    ...database.prepare("SELECT count(*) AS pets FROM pets").get(),
  }
  database.close()
  return responses
}

const title = "kill -9 and retries do not lose, duplicate or alter an acknowledged pet on %s, and do not damage the file"
it.each(["sqlite", "sqljs"])(title, async (adapter) => {
  const path = join(temporaryFolder(), "petstore.db")
  const environment = environmentOf({ DATABASE_URL: `${adapter}:${path}`, LOG_LEVEL: "silent" })
  let key = ""

  const acknowledged = new Map<number, string>()
  let started = 0
  for (let round = 0; round < 2; round += 1) {
    const serving = await startService(environment)
    if (round === 0) ({ key } = serving)
    const enough = acknowledged.size + 60
    let killed: Promise<void> | undefined
    const client = async () => {
      for (;;) {
        const number = started
        started += 1
        try {
          acknowledged.set(number, await create(serving.baseUrl, key, number))
        } catch {
          // The service was killed before it acknowledged this pet.
          return
        }
        if (acknowledged.size >= enough) killed ??= serving.kill()
      }
    }
    await Promise.all(Array.from({ length: 16 }, client))
    await killed
  }

  const serving = await startService(environment)
  try {
    const before = await everyPet(serving.baseUrl, key)
    for (const pet of acknowledged.values()) expect(before.filter((found) => found === pet)).toHaveLength(1)

    for (let number = 0; number < started; number += 1) {
      const again = await create(serving.baseUrl, key, number)
      expect(again).toBe(acknowledged.get(number) ?? again)
    }
    const after = await everyPet(serving.baseUrl, key)
    expect(after).toHaveLength(started)
    expect(new Set(after.map((pet) => /"id":(\d+)/.exec(pet)?.[1])).size).toBe(started)
    expect(new Set(after.map((pet) => /"name":"(pet \d+)"/.exec(pet)?.[1])).size).toBe(started)
  } finally {
    await serving.kill()
  }
  expect(inspect(path)).toStrictEqual({ integrity_check: "ok", pets: started })
})
