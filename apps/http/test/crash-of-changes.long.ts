/** The pets, orders and changes that survive `kill -9` (sentence 16.21). */
import { join } from "node:path"
import { environmentOf } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"
import { openWorkplace, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

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
