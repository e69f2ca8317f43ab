/**
 * The inventory is the sum of slots. A write changes the count in a random slot, so that concurrent writes rarely wait for a row.
 * In a cluster, one statement cannot write both the pet and the slot, so the nodes count the pets on request.
 */
import { InventoryRepository, type PetStatus, type ValidNewPet } from "@petstore/core"
import * as Effect from "effect/Effect"
import { inventoryOfRows } from "../rows.js"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"

export const keepsInventory = (layout: Layout): boolean => layout === "one node"

/** The number of slots. The schema creates a row for each slot. Reading all of them takes only a few database pages. */
const slots = 256

export const anySlot = (): number => Math.floor(Math.random() * slots)

/** A status, or `""` for no status. */
type Counted = PetStatus | ""

/** The slot column that counts pets with a given status. */
const columns: Record<Counted, string> = { "": "without_status", available: "available", pending: "pending", sold: "sold" }

/** Safe: `columns` has exactly these keys. */
const counted = Object.keys(columns) as ReadonlyArray<Counted>

/**
 * A statement that adds to the counts in slot `$place`, if `source` has a row. It changes one row, so two such statements never
 * deadlock. PostgreSQL runs unreferenced CTEs in reverse order, so no statement locks a slot while it waits for a pet or a claim.
 */
export const addToSlot = (place: number, changes: { readonly [Status in Counted]?: string }, source?: string): string => {
  const set = counted
    .filter((status) => changes[status] !== undefined)
    .map((status) => `${columns[status]} = ${columns[status]} + ${changes[status]}`)
  return `UPDATE inventory SET ${set.join(", ")} WHERE slot = $${place}${source === undefined ? "" : ` AND EXISTS (SELECT 1 FROM ${source})`}`
}

/** A statement that adds a {@link Tally}, if `source` has a row. Its parameters from `$place` on are the {@link countValues}. */
export const countTally = (place: number, source?: string): string =>
  addToSlot(place, Object.fromEntries(counted.map((status, index) => [status, `$${place + 1 + index}`])), source)

/** The number of added pets with each status; `""` stands for no status. */
export type Tally = Map<string, number>

export const addTo = (tally: Tally, pets: ReadonlyArray<ValidNewPet>): Tally => {
  for (const { status = "" } of pets) tally.set(status, (tally.get(status) ?? 0) + 1)
  return tally
}

/** The values of {@link countTally}: a slot, and a number for each status. */
export const countValues = (tally: Tally): ReadonlyArray<unknown> => [
  anySlot(),
  ...counted.map((status) => tally.get(status) ?? 0),
]

const selectCounted = "SELECT status, count(*) FROM pets GROUP BY status"

const selectKept = counted
  .map((status) => `SELECT nullif('${status}', ''), sum(${columns[status]})::int8 FROM inventory`)
  .join(" UNION ALL ")

export const clearInventory = `UPDATE inventory SET ${counted.map((status) => `${columns[status]} = 0`).join(", ")}`

export const postgresInventoryRepository = ({ layout, read, transaction }: Database) => {
  const counted = Effect.map(read(selectCounted), inventoryOfRows)
  if (!keepsInventory(layout)) {
    return InventoryRepository.of({
      read: counted,
      recount: Effect.map(counted, (inventory) => ({ kept: inventory, counted: inventory })),
    })
  }
  return InventoryRepository.of({
    read: Effect.map(read(selectKept), inventoryOfRows),

    recount: transaction((run) =>
      Effect.gen(function* () {
        // Locks every slot, so that earlier writers have finished and later writers add to the new count.
        yield* run("UPDATE inventory SET available = available")
        const kept = inventoryOfRows(yield* run(selectKept))
        const counted = inventoryOfRows(yield* run(selectCounted))
        yield* run(clearInventory)
        const { total: _, withoutStatus, ...byStatus } = counted
        const tally = new Map(Object.entries({ "": withoutStatus, ...byStatus }))
        yield* run(countTally(1), countValues(tally))
        return { kept, counted }
      }),
    ),
  })
}
