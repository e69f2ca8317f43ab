import {
  type Actor,
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
import { isSamePet, petChange, petColumns, petOf, petOfRow, refusalOf } from "../rows.js"
import { allOf, oneOf } from "../sql/tables.js"
import { wordsTextOf } from "../words-text.js"
import { changeTexts, rowChanger } from "./change-statements.js"
import type { OriginOf } from "./change-writes.js"
import { confirmPetOf } from "./confirm-pet.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { claimValues, underClaim } from "./idempotency.js"
import { addTo, nextSlot, type Tally } from "./inventory-repository.js"
import { pagesOf } from "./pages.js"
import { isReserved } from "./pet-conditions.js"
import { type InsertPet, insertPets, statementMaximum } from "./pet-inserts.js"
import { petSearch } from "./pet-search.js"
import { type RecordedPet, recordAll, recordCreations } from "./transaction-changes.js"

const page = pagesOf("pets", petColumns)

const findText = prepared("find pet", `SELECT ${petColumns} FROM pets WHERE id = $1`)

/** Locks a pet. */
const lockPet = `UPDATE pets SET status = status WHERE id = $1 RETURNING ${petColumns}, ${isReserved}::int::int8`

const correct = "UPDATE pets SET name = $2, category_id = $3, status = $4, words = $5 WHERE id = $1"

const findSeen = prepared("find seen pet", `SELECT ${petColumns}, ${isReserved}::int::int8 FROM pets WHERE id = $1`)

const valuesOf = ({ name, categoryId, status }: ValidNewPet) => [name, categoryId, status ?? null] as const

export const postgresPetRepository = (database: Database, originOf: OriginOf, insert: InsertPet) => {
  const { layout, read, transaction } = database
  const isOneNode = layout === "one node"
  const createOnce = changeTexts(layout).create_pet_once
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)
  const changeRow = rowChanger(database, originOf)

  const change = (seen: Pet, to: Pet | undefined, by: Actor | undefined) =>
    Effect.gen(function* () {
      const values = [seen.id, ...valuesOf(seen), ...(to === undefined ? [] : [...valuesOf(to), wordsTextOf(to.name)])]
      const recording = { by, before: { pet: seen }, after: to && { pet: to } }
      const isSame = to !== undefined && isSamePet(seen, to)
      if (!isSame && (yield* changeRow(to === undefined ? "remove_pet" : "replace_pet", values, recording))) return
      const [row] = yield* read(findSeen, [seen.id])
      if (isSame && row !== undefined && isSamePet(petOfRow(row), seen)) return
      yield* petChange(seen, refusalOf(row, seen, to))
    })

  return PetRepository.of({
    insert,

    insertOnce: (pet, claim, by) =>
      Effect.gen(function* () {
        const values = [...valuesOf(pet), wordsTextOf(pet.name), nextSlot(), ...claimValues(claim), ...(yield* originOf(by))]
        const made = yield* once(createOnce, values, claim)
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
      Effect.flatMap(originOf(by), (origin) =>
        transaction((run) =>
          Effect.gen(function* () {
            const slot = nextSlot()
            const tally: Tally = new Map()
            const made: Array<PetId> = []
            const changes: Array<RecordedPet> = []
            yield* Stream.runForEach(batches, (batch) =>
              Effect.forEach(
                Arrays.chunksOf(batch, statementMaximum),
                (pets) =>
                  Effect.map(run(...insertPets(pets, slot)), (rows) => {
                    const inserted = rows.map(petOfRow).toSorted((one, other) => Number(one.id - other.id))
                    addTo(tally, inserted)
                    made.push(...inserted.map(({ id }) => id))
                    if (!isOneNode) changes.push(...inserted.map((pet) => ({ before: undefined, after: pet })))
                  }),
                { discard: true },
              ),
            )
            // Last, so that writes to the same slot do not wait for the entire import.
            if (isOneNode) yield* recordCreations(run, { made, slot, tally, origin })
            else yield* recordAll(run, layout, { operation: "createPet", changes, origin })
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
            const changes: Array<RecordedPet> = []
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
              changes.push({ before: seen, after: to })
            }
            // Last, as in an import.
            yield* recordAll(run, layout, { operation: "correctPet", changes, origin })
            return outcomes
          }),
        ),
      ),

    find: (id) => oneOf(read(findText, [id]), petOfRow),

    list: (selection) => allOf(read(...page(selection)), petOfRow),

    search: petSearch(database),
  })
}
