/** The data that survives `kill -9` (sentences 2.9, 4.2.50, 12.10 and 16.21). */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { environmentOf } from "@petstore/harness/command"
import { everyPet } from "@petstore/harness/load"
import { startService } from "@petstore/harness/serving"
import { openWorkplace, temporaryFolder } from "@petstore/harness/testing"
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

/** What a client does with its pet, over and over: the operation, its method, and its path below the pet or its newest order. */
const cycle = [
  ["createOrder", "POST", () => "/store/orders"],
  ["completeOrder", "POST", (_pet: string, order: string) => `/store/orders/${order}/complete`],
  ["changeOrder", "PATCH", (_pet: string, order: string) => `/store/orders/${order}`],
  ["removePet", "DELETE", (pet: string) => `/pets/${pet}`],
  ["restorePet", "POST", (pet: string) => `/pets/${pet}/restore`],
  ["returnOrder", "POST", (_pet: string, order: string) => `/store/orders/${order}/return`],
] as const

interface Side {
  readonly pet?: unknown
  readonly order?: { readonly status: string }
}

interface Told {
  readonly operation: string
  readonly before?: Side
  readonly after?: Side
}

it.each(["sqlite", "sqljs"])("kill -9 between taking back and its change leaves both or neither on %s", async (adapter) => {
  const DATABASE_URL = `${adapter}:${join(temporaryFolder(), "petstore.db")}`
  const environment = environmentOf({ DATABASE_URL, LOG_LEVEL: "silent" })
  const { run } = openWorkplace({ DATABASE_URL })
  const first = await startService(environment)
  const { key } = first
  const callOf =
    (baseUrl: string) =>
    async (method: string, path: string, body?: string): Promise<string> => {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
      const response = await fetch(baseUrl + path, { method, headers, ...(body !== undefined && { body }) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text
    }
  const call = callOf(first.baseUrl)
  const pets = await Promise.all(
    Array.from({ length: 8 }, async () =>
      String(JSON.parse(await call("POST", "/pets", '{"name":"Bello","categoryId":7,"status":"available"}')).id),
    ),
  )
  const done = new Map(pets.map((pet) => [pet, ["createPet"]]))
  let killed: Promise<void> | undefined
  let acknowledged = 0
  const client = async (pet: string): Promise<void> => {
    let order = ""
    for (;;) {
      for (const [operation, method, pathOf] of cycle) {
        const bodies: Partial<Record<typeof operation, string>> = {
          createOrder: `{"petId":${pet},"note":"for Ada"}`,
          changeOrder: `{"note":"${acknowledged}"}`,
        }
        const text = await call(method, pathOf(pet, order), bodies[operation])
        if (operation === "createOrder") order = String(JSON.parse(text).id)
        done.get(pet)?.push(operation)
        acknowledged += 1
        if (acknowledged >= 200) killed ??= first.kill()
      }
    }
  }
  const ends = await Promise.allSettled(pets.map(client))
  // A refusal by the service would have another message.
  for (const end of ends) expect(end).toMatchObject({ status: "rejected", reason: { message: "fetch failed" } })
  await killed

  const second = await startService(environment)
  try {
    const again = callOf(second.baseUrl)
    for (const pet of pets) {
      const told: ReadonlyArray<Told> = JSON.parse(await again("GET", `/changes?limit=100&petId=${pet}`))
      const operations = told.map(({ operation }) => operation)
      const asked = done.get(pet) ?? []
      const next = cycle[(asked.length - 1) % cycle.length]?.[0]
      expect([asked, [...asked, next]]).toContainEqual(operations)
      // Each change begins where the one before it ended.
      let [present, status]: [unknown, string | undefined] = [undefined, undefined]
      for (const { operation, before, after } of told) {
        if (operation !== "changeOrder") {
          expect(before?.pet).toStrictEqual(present)
          present = after?.pet
        }
        if (before?.order !== undefined) expect(before.order.status).toBe(status)
        status = after?.order?.status ?? status
      }
      const shown: ReadonlyArray<unknown> = JSON.parse(await again("GET", `/pets?id=${pet}`))
      expect(shown).toStrictEqual(present === undefined ? [] : [present])
      const [order] = JSON.parse(await again("GET", `/store/orders?limit=1&order=desc&petId=${pet}`))
      expect(order?.status).toBe(status)
      const { stdout } = await run(["history", "--pet", pet, "--json"])
      expect(JSON.parse(stdout)).toStrictEqual(told.toReversed())
    }
  } finally {
    await second.kill()
  }
})
