import {
  type Actor,
  type ChangeOperation,
  type CorrectionOutcome,
  correctedPet,
  type Pet,
  type PetId,
  PetRepository,
  type ValidNewPet,
} from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Stream from "effect/Stream"
import { numberOfOperation, touchedText } from "../change-rows.js"
import { isSamePet, petChange, petColumns, petOf, petOfRow, refusalOf } from "../rows.js"
import { allOf, oneOf } from "../sql/tables.js"
import { wordsTextOf } from "../words-text.js"
import { changeColumns, type OriginOf, petJson, recorded, recordedLength, recordedValues, sideOf } from "./change-writes.js"
import { confirmPetOf } from "./confirm-pet.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { claimIsFree, claimValues, keepClaim, underClaim } from "./idempotency.js"
import { addTo, countIn, countValues, keepsInventory, moveIn, nextSlot, slots, type Tally } from "./inventory-repository.js"
import { pagesOf } from "./pages.js"
import { type InsertPet, insertPets, statementMaximum } from "./pet-inserts.js"
import { petSearch } from "./pet-search.js"

const page = pagesOf("pets", petColumns)

const findText = prepared("find pet", `SELECT ${petColumns} FROM pets WHERE id = $1`)

const isPending = (status: string): string => `${status} IS NOT DISTINCT FROM 'pending'`

/** SQL condition that a placed order reserves the pet. */
const isReserved = `(${isPending("status")} AND reserved)`

const isSeen = "id = $1 AND name = $2 AND category_id = $3 AND status IS NOT DISTINCT FROM $4"

const replace = `UPDATE pets SET name = $5, category_id = $6, status = $7, words = $8
  WHERE ${isSeen} AND NOT (${isReserved} AND NOT ${isPending("$7::text")}) RETURNING id, slot`

const remove = `DELETE FROM pets WHERE ${isSeen} AND NOT ${isReserved} RETURNING id, slot`

/** A change of one pet whose sides are parameters, which follow the {@link recordedValues} from `$place` on. */
const recording = (operation: ChangeOperation, change: string, place: number): string => {
  const [before, after] = [0, 1].map((index) => `$${place + recordedLength + index}::text`)
  return `WITH pet AS (${change}), ${recorded(place, { operation, source: "pet", before: `${before}`, after: `${after}` })}
  SELECT id FROM pet`
}

/** Locks a pet. */
const lockPet = `UPDATE pets SET status = status WHERE id = $1 RETURNING ${petColumns}, ${isReserved}::int::int8, slot::int8`

const correct = "UPDATE pets SET name = $2, category_id = $3, status = $4, words = $5 WHERE id = $1"

/** Stores changes of existing pets, whose columns are arrays. */
const insertChanges = `INSERT INTO changes (${changeColumns})
  SELECT slot, id, $1::int8, ${numberOfOperation("correctPet")}, $2::int8, $3::text, pet_id, before, after
  FROM unnest($4::int8[], $5::int8[], $6::int8[], $7::text[], $8::text[]) AS given (slot, id, pet_id, before, after)`

/** Stores the changes of pets that an import has inserted ($1), in order. Their identifiers follow `$2`. */
const insertCreations = `INSERT INTO changes (${changeColumns})
  SELECT pets.slot, $2::int8 + ${slots} * place, $3::int8, ${numberOfOperation("createPet")}, $4::int8, $5::text, pets.id, NULL,
    ${sideOf({ pet: petJson("pets") })}
  FROM unnest($1::int8[]) WITH ORDINALITY AS made (id, place) JOIN pets ON pets.id = made.id`

/** The maximum number of an import's changes in a statement. */
const creationsAtOnce = 10_000

const findSeen = prepared("find seen pet", `SELECT ${petColumns}, ${isReserved}::int::int8 FROM pets WHERE id = $1`)

const valuesOf = ({ name, categoryId, status }: ValidNewPet) => [name, categoryId, status ?? null] as const

const insertOnce = (isRecorded: boolean): string => `WITH pet AS (
    INSERT INTO pets (name, category_id, status, words, slot)
    SELECT $1::text, $2::int8, $3::text, $4::text, $5::int2 WHERE ${claimIsFree(6)}
    RETURNING ${petColumns}, slot
  ), claimed AS (${keepClaim(6, "pet")} RETURNING resource_id)${
    isRecorded
      ? `, ${recorded(12, { operation: "createPet", source: "pet", others: ["claimed"], before: "NULL", after: sideOf({ pet: petJson("pet") }) })}`
      : ""
  }
  SELECT resource_id FROM claimed`

/** The corrections of a slot's pets in one transaction. */
interface CorrectionsOfSlot {
  readonly tally: Tally
  readonly changes: Array<readonly [seen: Pet, to: Pet]>
}

const newSlot = (): CorrectionsOfSlot => ({ tally: new Map(), changes: [] })

export const postgresPetRepository = (database: Database, originOf: OriginOf, insert: InsertPet) => {
  const { layout, read, transaction, write } = database
  const isCounted = keepsInventory(layout)
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)
  const insertOnceText = prepared("create once", insertOnce(isCounted))

  const plain = { replace: prepared("replace pet", replace), remove: prepared("remove pet", remove) }
  const noting = {
    replace: prepared("replace pet, noted", recording("correctPet", replace, 9)),
    remove: prepared("remove pet, noted", recording("removePet", remove, 5)),
  }

  const change = (seen: Pet, to: Pet | undefined, by: Actor | undefined) => {
    const isChange = isCounted && (to === undefined || !isSamePet(seen, to))
    const text = (isChange ? noting : plain)[to === undefined ? "remove" : "replace"]
    const tally: Tally = new Map([[seen.status ?? "", -1]])
    return Effect.gen(function* () {
      const values = [seen.id, ...valuesOf(seen), ...(to === undefined ? [] : [...valuesOf(to), wordsTextOf(to.name)])]
      const record = isChange
        ? [
            ...recordedValues(addTo(tally, to === undefined ? [] : [to]), yield* originOf(by)),
            touchedText({ pet: seen }),
            touchedText(to && { pet: to }),
          ]
        : []
      const done = yield* write(text, [...values, ...record])
      if (done.length > 0) return
      const [row] = yield* read(findSeen, [seen.id])
      yield* petChange(seen, refusalOf(row, seen, to))
    })
  }

  return PetRepository.of({
    insert,

    insertOnce: (pet, claim, by) =>
      Effect.gen(function* () {
        const record = isCounted ? recordedValues(addTo(new Map(), [pet]), yield* originOf(by)) : []
        const values = [...valuesOf(pet), wordsTextOf(pet.name), nextSlot(), ...claimValues(claim), ...record]
        const made = yield* once(insertOnceText, values, claim)
        if (made.outcome === "refused")
          return yield* Effect.dieMessage("The claim for a pet was refused although the key is free")
        // Safe: the statement and this operation's claims both return one int8.
        const id = (made.outcome === "repeated" ? made.resourceId : made.rows[0]?.[0]) as PetId
        // A repeated request has the same body, so `pet` is also the pet of the first request.
        const isNew = made.outcome === "made"
        return yield* Effect.as(isNew ? Effect.void : confirmPet(id), { value: petOf(id, pet), isNew })
      }),

    // Uses a transaction: an import can be too large for one statement. Engines that limit transactions also limit imports.
    insertAll: (batches, by) =>
      Effect.flatMap(originOf(by), ([at, actor, requestId]) =>
        transaction((run) =>
          Effect.gen(function* () {
            const slot = nextSlot()
            const tally: Tally = new Map()
            const made: Array<bigint> = []
            yield* Stream.runForEach(batches, (batch) =>
              Effect.forEach(
                Arrays.chunksOf(batch, statementMaximum),
                (pets) =>
                  Effect.map(run(...insertPets(pets, slot)), (rows) => {
                    addTo(tally, pets)
                    // Safe: the statement returns an int8. Its rows may come in any order.
                    made.push(...rows.map(([id]) => id as bigint).toSorted((one, other) => Number(one - other)))
                  }),
                { discard: true },
              ),
            )
            if (!isCounted || made.length === 0) return made.length
            // Last, so that writes to the same slot do not wait for the entire import.
            const [row] = yield* run(countIn("WHERE slot = $6", 1), [...countValues(tally, made.length), slot])
            // Safe: the statement returns an int8.
            const former = (row?.[0] as bigint) - BigInt(slots * made.length)
            for (let done = 0; done < made.length; done += creationsAtOnce) {
              const some = made.slice(done, done + creationsAtOnce)
              yield* run(insertCreations, [some, former + BigInt(slots * done), at, actor, requestId])
            }
            return made.length
          }),
        ),
      ),

    replace: change,

    remove: (seen, by) => change(seen, undefined, by),

    correctAll: (corrections, by) =>
      Effect.flatMap(originOf(by), (origin) =>
        transaction((run) =>
          Effect.gen(function* () {
            const outcomes: Array<CorrectionOutcome> = corrections.map(() => "done")
            const bySlot = new Map<number, CorrectionsOfSlot>()
            // In identifier order, so that two corrections of the same pets never deadlock.
            const inOrder = Arrays.sortWith(corrections.entries(), ([, [petId]]) => petId, Order.bigint)
            for (const [place, [petId, correction]] of inOrder) {
              const [row] = yield* run(lockPet, [petId])
              if (row === undefined) {
                outcomes[place] = "not-found"
                continue
              }
              const seen = petOfRow(row)
              const to = correctedPet(seen, correction)
              if (row[4] === 1n && to.status !== seen.status) {
                outcomes[place] = "reserved"
                continue
              }
              if (isSamePet(seen, to)) continue
              yield* run(correct, [petId, ...valuesOf(to), wordsTextOf(to.name)])
              const slot = Number(row[5])
              const { tally, changes } = bySlot.get(slot) ?? newSlot()
              moveIn(tally, seen.status, to.status)
              changes.push([seen, to])
              bySlot.set(slot, { tally, changes })
            }
            if (!isCounted) return outcomes
            // Last, as in an import, and in the order of the slots, as all writers of several slots.
            for (const [slot, { tally, changes }] of Arrays.sortWith(bySlot, ([slot]) => slot, Order.number)) {
              const [row] = yield* run(countIn("WHERE slot = $6", 1), [...countValues(tally, changes.length), slot])
              // Safe: the statement returns an int8.
              const last = row?.[0] as bigint
              yield* run(insertChanges, [
                ...origin,
                changes.map(() => slot),
                changes.map((_, index) => last - BigInt(slots * (changes.length - 1 - index))),
                changes.map(([{ id }]) => id),
                changes.map(([seen]) => touchedText({ pet: seen })),
                changes.map(([, to]) => touchedText({ pet: to })),
              ])
            }
            return outcomes
          }),
        ),
      ),

    find: (id) => oneOf(read(findText, [id]), petOfRow),

    list: (selection) => allOf(read(...page(selection)), petOfRow),

    search: petSearch(database),
  })
}
