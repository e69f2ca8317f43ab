/** Changes of many pets in one transaction: an import and its corrections. */
import type { ChangeOperation, Pet, PetId } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import { numberOfOperation, touchedText } from "../change-rows.js"
import { changeColumns, type Origin, petJson, sideOf } from "./change-writes.js"
import type { Run } from "./engine/connection.js"
import type { Layout } from "./engine/layout.js"
import { addTo, countIn, countValues, slots, type Tally } from "./inventory-repository.js"
import { spreadStep } from "./spread-changes.js"

/** Stores the changes of pets that an import has inserted ($1), in order. Their identifiers follow `$2`. */
const insertCreations = `INSERT INTO changes (${changeColumns})
  SELECT pets.slot, $2::int8 + ${slots} * place, $3::int8, ${numberOfOperation("createPet")}, $4::int8, $5::text, pets.id, NULL,
    ${sideOf({ pet: petJson("pets") })}
  FROM unnest($1::int8[]) WITH ORDINALITY AS made (id, place) JOIN pets ON pets.id = made.id`

interface Creations {
  /** The new pets, in order, which are in one slot. Only their identifiers, because an import can be larger than the memory. */
  readonly made: ReadonlyArray<PetId>
  readonly slot: number
  readonly tally: Tally
  readonly origin: Origin
}

/** Counts new pets and stores their changes, on one node. */
export const recordCreations = <E>(run: Run<E>, { made, slot, tally, origin }: Creations): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const [row] = yield* run(countIn("WHERE slot = $6", 1), [...countValues(tally, made.length), slot])
    // Safe: the statement returns an int8.
    let last = (row?.[0] as bigint) - BigInt(slots * made.length)
    for (const some of Arrays.chunksOf(made, changesAtOnce)) {
      yield* run(insertCreations, [some, last, ...origin])
      last += BigInt(slots * some.length)
    }
  })

export interface RecordedPet {
  readonly before: Pet | undefined
  readonly after: Pet
}

const selectSlots = {
  "one node": "SELECT id, slot::int8 FROM pets WHERE id = ANY ($1::int8[])",
  spread: "SELECT id, change_slot(id) FROM unnest($1::int8[]) AS pet (id)",
}

/** The distance between two identifiers of changes in a slot. */
const steps = { "one node": slots, spread: spreadStep }

/** The number of changes in a statement: the protocol counts parameters with 16 bits. */
const changesAtOnce = 1_000

type Sides = readonly [petId: PetId, before: string | null, after: string | null]

/** Stores changes in slot `$1`, whose identifiers follow `$2`. From `VALUES`, Citus can determine the row's node; arrays are faster. */
const inserts: Record<Layout, (sides: ReadonlyArray<Sides>) => readonly [text: string, values: ReadonlyArray<unknown>]> = {
  "one node": (sides) => [
    `INSERT INTO changes (${changeColumns})
      SELECT $1::int8, $2::int8 + ${slots} * place, $3::int8, $4::int8, $5::int8, $6::text, pet_id, before, after
      FROM unnest($7::int8[], $8::text[], $9::text[]) WITH ORDINALITY AS given (pet_id, before, after, place)`,
    [0, 1, 2].map((column) => sides.map((row) => row[column])),
  ],
  spread: (sides) => {
    const rows = sides.map((_, index) => {
      const row = [7, 8, 9].map((place) => `$${3 * index + place}`)
      return `($1, $2::int8 + ${spreadStep * (index + 1)}, $3, $4, $5, $6, ${row})`
    })
    return [`INSERT INTO changes (${changeColumns}) VALUES ${rows.join()}`, sides.flat()]
  },
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
    const step = steps[layout]
    const found = yield* run(selectSlots[layout], [[...new Set(changes.map(({ after }) => after.id))]])
    const slotOfId = new Map(found.map(([id, slot]) => [id, Number(slot)]))
    const bySlot = Map.groupBy(changes, ({ after }) => slotOfId.get(after.id) ?? 0)
    for (const [slot, some] of Arrays.sortWith(bySlot, ([slot]) => slot, Order.number)) {
      const [former, present] = [some.flatMap(({ before }) => before ?? []), some.map(({ after }) => after)]
      const tally = addTo(addTo(new Map(), present), former, -1)
      const [row] = yield* run(countIn("WHERE slot = $6", 1, step), [...countValues(tally, some.length), slot])
      // Safe: the statement returns an int8.
      let last = (row?.[0] as bigint) - BigInt(step * some.length)
      for (const chunk of Arrays.chunksOf(some, changesAtOnce)) {
        const sides = chunk.map(
          ({ before, after }): Sides => [after.id, touchedText(before && { pet: before }), touchedText({ pet: after })],
        )
        const [text, values] = inserts[layout](sides)
        yield* run(text, [slot, last, at, numberOfOperation(operation), actor, requestId, ...values])
        last += BigInt(step * chunk.length)
      }
    }
  })
