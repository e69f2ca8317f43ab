/** Section 4.7: the number of pets. Tests compare the numbers before and after a step, because there can be other pets. */
import assert from "node:assert/strict"
import { members } from "@petstore/harness/exact-json"
import { expectError, expectStatus } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { create } from "../catalogue.ts"
import { revalidates } from "../every.ts"
import { reads, type Sentence, writes } from "../sentence.ts"
import { closed, place } from "../store-orders.ts"

const names = ["available", "pending", "sold", "withoutStatus", "total"] as const
type Inventory = Readonly<Record<(typeof names)[number], bigint>>

const readInventory = async (http: Http): Promise<Inventory> => {
  const counts = members(expectStatus(await http.get("/store/inventory"), 200).json) ?? {}
  assert.deepEqual(Object.keys(counts).sort(), [...names].sort())
  for (const name of names)
    assert.ok(typeof counts[name] === "bigint" && counts[name] >= 0n, `${name} is not a non-negative integer`)
  return counts as Inventory // Safe: the loop above checked each member.
}

/** Tries up to five times, because another caller might write during an attempt. */
const untilAlone = async <A>(attempt: () => Promise<A>): Promise<A> => {
  for (let left = 4; ; left -= 1) {
    try {
      return await attempt()
    } catch (thrown) {
      if (left === 0) throw thrown
    }
  }
}

/** Checks which numbers a step changes, while no other client writes. */
const expectChanges = (http: Http, step: () => Promise<unknown>, expected: Partial<Inventory>): Promise<void> =>
  untilAlone(async () => {
    const before = await readInventory(http)
    await step()
    const after = await readInventory(http)
    const changes = names.map((name) => [name, after[name] - before[name]] as const).filter(([, change]) => change !== 0n)
    assert.deepEqual(Object.fromEntries(changes), expected)
  })

export const inventory: ReadonlyArray<Sentence> = [
  reads("4.7.1", "counts pets only for a valid key", async ({ http }) => {
    await readInventory(http)
    expectError(await http.get("/store/inventory", { authorization: [] }), "missing_credential")
  }),
  reads("4.7.2", "returns the sum of the other numbers as the total", async ({ http }) => {
    const { available, pending, sold, withoutStatus, total } = await readInventory(http)
    assert.equal(available + pending + sold + withoutStatus, total)
  }),
  writes("4.7.3", "counts a new pet immediately", async ({ http }) => {
    await expectChanges(http, () => create(http, { status: "sold" }), { sold: 1n, total: 1n })
    await expectChanges(http, () => create(http), { withoutStatus: 1n, total: 1n })
  }),
  writes("4.7.4", "reflects the orders for a pet", async ({ http }) => {
    await expectChanges(http, () => place(http), { pending: 1n, total: 1n })
    await expectChanges(http, async () => closed(http, (await place(http)).id, "complete"), { sold: 1n, total: 1n })
    await expectChanges(http, async () => closed(http, (await place(http)).id, "cancel"), { available: 1n, total: 1n })
  }),
  reads("4.7.5", "responds with 304 while nothing has changed", ({ http }) =>
    untilAlone(() => revalidates(http, "/store/inventory")),
  ),
]
