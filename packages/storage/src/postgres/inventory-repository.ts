/**
 * The inventory is the sum of slots. A slot also numbers the changes of its pets: its row stays locked until the transaction that
 * raised the number ends, so the numbers of a slot are in the order of commits. Each new pet gets a slot that a statement's pets
 * share, so that concurrent writes rarely wait for a row. In a cluster, the nodes count the pets on request.
 */
import { type Inventory, InventoryRepository, type PetStatus, type ValidNewPet } from "@petstore/core"
import * as Effect from "effect/Effect"
import { inventoryOfRows } from "../rows.js"
import type { Run } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"

export const keepsInventory = (layout: Layout): boolean => layout === "one node"

/** The number of slots, and the distance between two identifiers of changes in a slot, so that no two slots share one. */
export const slots = 16

let last = Math.floor(Math.random() * slots)

/** A slot for new pets. Consecutive statements of a process get different ones. */
export const nextSlot = (): number => {
  last = (last + 1) % slots
  return last
}

/** The slot of a row that was not assigned one, as SQL. */
export const slotOf = (id: string): string => `(${id} & ${slots - 1})`

/** A status, or `""` for no status. */
type Counted = PetStatus | ""

/** The slot column that counts pets with a given status. */
const columns: Record<Counted, string> = { "": "without_status", available: "available", pending: "pending", sold: "sold" }

/** Safe: `columns` has exactly these keys. */
const counted = Object.keys(columns) as ReadonlyArray<Counted>

/** The number of added pets with each status; `""` stands for no status. */
export type Tally = Map<string, number>

/** Adds pets, or with -1 takes them away. */
export const addTo = (tally: Tally, pets: ReadonlyArray<Pick<ValidNewPet, "status">>, each: 1 | -1 = 1): Tally => {
  for (const { status = "" } of pets) tally.set(status, (tally.get(status) ?? 0) + each)
  return tally
}

/**
 * A statement that adds a {@link Tally} to a slot, and numbers changes. Returns `last_change`, their last identifier. Its
 * parameters from `$place` on are the {@link countValues}. `where` selects the slot, after whatever the statement waits for:
 * statements that lock a slot wait for nothing but a commit, so they never deadlock.
 */
export const countIn = (where: string, place: number, step = slots): string => {
  const set = counted.map((status, index) => `${columns[status]} = ${columns[status]} + $${place + index}::int8`)
  const raised = `last_change = last_change + ${step} * $${place + counted.length}::int8`
  return `UPDATE inventory SET ${set.join(", ")}, ${raised} ${where} RETURNING last_change`
}

/** SQL assignments that count a pet's move from one status to another, if it had or gets one, and number one change. */
export const countMove = (from?: string, to?: string): string => {
  const is = (status: string | undefined, counted: Counted): string =>
    status === undefined ? "0" : `(coalesce(${status}, '') = '${counted}')::int`
  const isMove = from !== undefined || to !== undefined
  const set = counted.map((status) => `${columns[status]} = ${columns[status]} + ${is(to, status)} - ${is(from, status)}`)
  return [...(isMove ? set : []), `last_change = last_change + ${slots}`].join()
}

/** The values of {@link countIn}: a number for each status, and the number of changes. */
export const countValues = (tally: Tally, changes: number): ReadonlyArray<number> => [
  ...counted.map((status) => tally.get(status) ?? 0),
  changes,
]

const selectCounted = "SELECT status, count(*) FROM pets GROUP BY status"

const selectKept = counted
  .map((status) => `SELECT nullif('${status}', ''), sum(${columns[status]})::int8 FROM inventory`)
  .join(" UNION ALL ")

const clearInventory = `UPDATE inventory SET ${counted.map((status) => `${columns[status]} = 0`).join(", ")}`

/** Counts the pets again into one slot. */
export const recountPets = <E>(run: Run<E>): Effect.Effect<Inventory, E> =>
  Effect.gen(function* () {
    const inventory = inventoryOfRows(yield* run(selectCounted))
    yield* run(clearInventory)
    const { total: _, withoutStatus, ...byStatus } = inventory
    const tally = new Map(Object.entries({ "": withoutStatus, ...byStatus }))
    yield* run(countIn("WHERE slot = 0", 1), countValues(tally, 0))
    return inventory
  })

export const postgresInventoryRepository = ({ layout, read, transaction }: Database) => {
  const countNow = Effect.map(read(selectCounted), inventoryOfRows)
  if (!keepsInventory(layout)) {
    return InventoryRepository.of({
      read: countNow,
      recount: Effect.map(countNow, (inventory) => ({ kept: inventory, counted: inventory })),
    })
  }
  return InventoryRepository.of({
    read: Effect.map(read(selectKept), inventoryOfRows),

    recount: transaction((run) =>
      Effect.gen(function* () {
        // Locks every slot, so that earlier writers have finished and later writers add to the new count. In order, as all writers
        // of several slots do, so that none of them deadlock.
        for (let slot = 0; slot < slots; slot += 1) yield* run("UPDATE inventory SET slot = slot WHERE slot = $1", [slot])
        const kept = inventoryOfRows(yield* run(selectKept))
        return { kept, counted: yield* recountPets(run) }
      }),
    ),
  })
}
