/**
 * The inventory in PostgreSQL. Each write counts in a slot that it picks by chance, in its own
 * statement: processes that write at once rarely meet in a row. The sum of the slots is the inventory.
 * Where the pets are spread over nodes, one statement cannot write both: there the nodes count when they are asked.
 */
import { type Inventory, InventoryRepository, inventoryOf, type NewPet, type PetStatus } from "@petstore/core"
import { Effect } from "effect"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"

/** Whether writes keep the inventory. */
export const keepsInventory = (layout: Layout): boolean => layout === "one node"

/** How many slots there are: the schema makes a row for each and each status. They are read together: a few pages. */
const slots = 256

/** A slot for one write. */
export const anySlot = (): number => Math.floor(Math.random() * slots)

/** A statement that adds to a slot, `$place`. `changes` is a source of rows (status, pets), one for each status; `''` is none. */
const count = (place: number, changes: string): string =>
  `UPDATE inventory SET pets = inventory.pets + changed.pets
    FROM ${changes} AS changed (status, pets) WHERE inventory.slot = $${place}::int8 AND inventory.status = changed.status`

/** A statement that counts new pets: slot `$place`, then an array of statuses and one of numbers. */
export const countInserted = (place: number): string => count(place, `unnest($${place + 1}::text[], $${place + 2}::int8[])`)

/** A statement that counts the pet of `source`, if there is one: slot `$place`, status `$status` or NULL. */
export const countOne = (place: number, status: number, source: string): string =>
  count(place, `(SELECT coalesce($${status}::text, ''), 1::int8 FROM ${source})`)

/** A statement that counts the pet of `source`, if there is one, no more in status `$from` but in `$to`: slot `$place`. */
export const countMoved = (place: number, from: number, to: number, source: string): string =>
  count(
    place,
    `(SELECT moved.status, moved.pets FROM ${source}, (VALUES ($${from}::text, -1::int8), ($${to}::text, 1::int8)) AS moved (status, pets))`,
  )

/** How many pets of each status a write inserts; `""` stands for none. */
export type Tally = Map<string, number>

/** Adds pets to a tally. */
export const addTo = (tally: Tally, pets: ReadonlyArray<NewPet>): Tally => {
  for (const { status = "" } of pets) tally.set(status, (tally.get(status) ?? 0) + 1)
  return tally
}

/** The values of {@link countInserted}. */
export const countValues = (tally: Tally): ReadonlyArray<unknown> => {
  const statuses = [...tally.keys()]
  return [anySlot(), statuses, statuses.map((status) => tally.get(status))]
}

const selectCounted = "SELECT status, count(*) FROM pets GROUP BY status"

const selectKept = "SELECT nullif(status, ''), sum(pets)::int8 FROM inventory GROUP BY status"

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
        // Takes every slot: who has written is done, and who writes now is counted afterwards, in a slot that has the new number.
        yield* run("UPDATE inventory SET pets = pets")
        const kept = inventoryOfRows(yield* run(selectKept))
        const counted = inventoryOfRows(yield* run(selectCounted))
        yield* run("UPDATE inventory SET pets = 0")
        const { total: _, withoutStatus, ...byStatus } = counted
        const tally = new Map(Object.entries({ "": withoutStatus, ...byStatus }))
        yield* run(countInserted(1), countValues(tally))
        return { kept, counted }
      }),
    ),
  })
}

/** Safe: the statements list a status or NULL and an int8, which is read as a bigint. */
const inventoryOfRows = (rows: ReadonlyArray<ReadonlyArray<unknown>>): Inventory =>
  inventoryOf(
    rows.map((row) => {
      const [status, pets] = row as [PetStatus | null, bigint]
      return [status, Number(pets)]
    }),
  )
