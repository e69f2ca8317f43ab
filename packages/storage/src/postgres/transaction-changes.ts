/** Changes of many pets in one transaction: an import and its corrections. */
import type { ChangeOperation, Pet, PetId } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import { numberOfOperation, touchedText } from "../change-rows.js"
import { changeColumns, type Origin, petJson, sideOf } from "./change-writes.js"
import type { Run } from "./engine/connection.js"
import type { Layout } from "./engine/layout.js"
import { addTo, countIn, countValues, keepsInventory, moveIn, slots, type Tally } from "./inventory-repository.js"
import { spreadStep } from "./spread-changes.js"

/** Stores the changes of pets that an import has inserted ($1), in order. Their identifiers follow `$2`. */
const insertCreations = `INSERT INTO changes (${changeColumns})
  SELECT pets.slot, $2::int8 + ${slots} * place, $3::int8, ${numberOfOperation("createPet")}, $4::int8, $5::text, pets.id, NULL,
    ${sideOf({ pet: petJson("pets") })}
  FROM unnest($1::int8[]) WITH ORDINALITY AS made (id, place) JOIN pets ON pets.id = made.id`

/** The maximum number of an import's changes in a statement. */
const creationsAtOnce = 10_000

interface Creations {
  /** The new pets, in order, which are in one slot. */
  readonly made: ReadonlyArray<PetId>
  readonly slot: number
  readonly tally: Tally
  readonly origin: Origin
}

/** Counts new pets and stores their changes, on one node. */
export const recordCreations = <E>(run: Run<E>, { made, slot, tally, origin }: Creations): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    if (made.length === 0) return
    const [row] = yield* run(countIn("WHERE slot = $6", 1), [...countValues(tally, made.length), slot])
    // Safe: the statement returns an int8.
    const former = (row?.[0] as bigint) - BigInt(slots * made.length)
    for (let done = 0; done < made.length; done += creationsAtOnce) {
      const some = made.slice(done, done + creationsAtOnce)
      yield* run(insertCreations, [some, former + BigInt(slots * done), ...origin])
    }
  })

/** A change of one pet. In a cluster, its slot is looked up. */
export interface RecordedPet {
  readonly before: Pet | undefined
  readonly after: Pet
  readonly slot?: number
}

/** The number of changes in a statement: the protocol counts parameters with 16 bits. */
const changesAtOnce = 1_000

const insertText = (changes: number): string => {
  const row = (_: unknown, index: number): string =>
    `(${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((place) => `$${9 * index + place}`).join()})`
  return `INSERT INTO changes (${changeColumns}) VALUES ${Array.from({ length: changes }, row).join()}`
}

const raise = {
  "one node": countIn("WHERE slot = $6", 1),
  spread: `UPDATE inventory SET last_change = last_change + ${spreadStep} * $1::int8 WHERE slot = $2 RETURNING last_change`,
}

interface Changes {
  readonly operation: ChangeOperation
  readonly changes: ReadonlyArray<RecordedPet>
  readonly origin: Origin
}

/** Counts changed pets and stores their changes, in the order of the slots, as all writers of several slots. */
export const recordAll = <E>(run: Run<E>, layout: Layout, { operation, changes, origin }: Changes): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const [at, actor, requestId] = origin
    const isOneNode = keepsInventory(layout)
    const step = BigInt(isOneNode ? slots : spreadStep)
    const ids = isOneNode ? [] : [...new Set(changes.map(({ after }) => after.id))]
    const found = ids.length === 0 ? [] : yield* run("SELECT id, change_slot(id) FROM unnest($1::int8[]) AS pet (id)", [ids])
    const slotOfId = new Map(found.map(([id, slot]) => [id, Number(slot)]))
    const bySlot = Map.groupBy(changes, ({ after, slot }) => slotOfId.get(after.id) ?? slot ?? 0)
    for (const [slot, some] of Arrays.sortWith(bySlot, ([slot]) => slot, Order.number)) {
      const tally: Tally = new Map()
      for (const { before, after } of some)
        if (before === undefined) addTo(tally, [after])
        else moveIn(tally, before.status, after.status)
      const values = isOneNode ? [...countValues(tally, some.length), slot] : [some.length, slot]
      const [row] = yield* run(raise[layout], values)
      // Safe: the statement returns an int8.
      let id = (row?.[0] as bigint) - step * BigInt(some.length)
      for (const chunk of Arrays.chunksOf(some, changesAtOnce)) {
        const rows = chunk.flatMap(({ before, after }) => {
          id += step
          const sides = [touchedText(before && { pet: before }), touchedText({ pet: after })]
          return [slot, id, at, numberOfOperation(operation), actor, requestId, after.id, ...sides]
        })
        yield* run(insertText(chunk.length), rows)
      }
    }
  })
