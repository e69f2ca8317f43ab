import { type CorrectionOutcome, type Pet, type PetId, PetRepository, type ValidNewPet } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Stream from "effect/Stream"
import { petChange, petColumns, petOf, petOfRow, refusalOf } from "../rows.js"
import { allOf, oneOf } from "../sql/tables.js"
import { wordsTextOf } from "../words-text.js"
import { confirmPetOf } from "./confirm-pet.js"
import { prepared } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { claimIsFree, claimValues, keepClaim, underClaim } from "./idempotency.js"
import { addTo, countTally, countValues, keepsInventory, type Tally } from "./inventory-repository.js"
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
  WHERE ${isSeen} AND NOT (${isReserved} AND NOT ${isPending("$7::text")}) RETURNING id`

const remove = `DELETE FROM pets WHERE ${isSeen} AND NOT ${isReserved} RETURNING id`

const correctedStatus = "CASE WHEN $4::boolean THEN $5::text ELSE status END"

const isCorrectedPending = isPending(`(${correctedStatus})`)

/** Absent values are NULL; `$4` states whether there is a status. */
const correct = `UPDATE pets SET name = coalesce($2::text, name), category_id = coalesce($3::int8, category_id),
    words = coalesce($6::text, words), status = ${correctedStatus}
  WHERE id = $1 AND NOT (${isReserved} AND NOT ${isCorrectedPending}) RETURNING status`

const lockPet = "UPDATE pets SET status = status WHERE id = $1 RETURNING status"

/** A change that also updates the inventory. The parameters of the count start at `$place`. */
const counting = (change: string, place: number): string =>
  `WITH pet AS (${change}), counted AS (${countTally(place, "pet")}) SELECT id FROM pet`

const findSeen = prepared("find seen pet", `SELECT ${petColumns}, ${isReserved}::int::int8 FROM pets WHERE id = $1`)

const valuesOf = ({ name, categoryId, status }: ValidNewPet) => [name, categoryId, status ?? null] as const

/** `counted` is another CTE of the statement, or empty. */
const insertOnce = (counted: string): string => `WITH pet AS (
    INSERT INTO pets (name, category_id, status, words)
    SELECT $1::text, $2::int8, $3::text, $4::text WHERE ${claimIsFree(5)}
    RETURNING id
  )${counted}
  ${keepClaim(5, "pet")}
  RETURNING resource_id`

export const postgresPetRepository = (database: Database, insert: InsertPet) => {
  const { layout, read, transaction, write } = database
  const isCounted = keepsInventory(layout)
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)
  const insertOnceText = prepared("create once", insertOnce(isCounted ? `, counted AS (${countTally(11, "pet")})` : ""))

  const plain = { replace: prepared("replace pet", replace), remove: prepared("remove pet", remove) }
  const counted = {
    replace: prepared("replace pet, counted", counting(replace, 9)),
    remove: prepared("remove pet, counted", counting(remove, 5)),
  }

  const change = (seen: Pet, to?: Pet) => {
    const isMoved = isCounted && (to === undefined || to.status !== seen.status)
    const text = (isMoved ? counted : plain)[to === undefined ? "remove" : "replace"]
    const tally: Tally = new Map([[seen.status ?? "", -1]])
    return Effect.gen(function* () {
      const values = [seen.id, ...valuesOf(seen), ...(to === undefined ? [] : [...valuesOf(to), wordsTextOf(to.name)])]
      const done = yield* write(text, [...values, ...(isMoved ? countValues(addTo(tally, to === undefined ? [] : [to])) : [])])
      if (done.length > 0) return
      const [row] = yield* read(findSeen, [seen.id])
      yield* petChange(seen, refusalOf(row, seen, to))
    })
  }

  return PetRepository.of({
    insert,

    insertOnce: (pet, claim) => {
      const count = isCounted ? countValues(addTo(new Map(), [pet])) : []
      const values = [...valuesOf(pet), wordsTextOf(pet.name), ...claimValues(claim), ...count]
      return Effect.flatMap(once(insertOnceText, values, claim), (made) => {
        if (made.outcome === "refused") return Effect.dieMessage("The claim for a pet was refused although the key is free")
        // Safe: the statement and this operation's claims both return one int8.
        const id = (made.outcome === "repeated" ? made.resourceId : made.rows[0]?.[0]) as PetId
        // A repeated request has the same body, so `pet` is also the pet of the first request.
        const isNew = made.outcome === "made"
        return Effect.as(isNew ? Effect.void : confirmPet(id), { value: petOf(id, pet), isNew })
      })
    },

    // Uses a transaction: an import can be too large for one statement. Engines that limit transactions also limit imports.
    insertAll: (batches) =>
      transaction((run) =>
        Stream.runFoldEffect(batches, new Map<string, number>(), (tally, batch) =>
          Effect.map(
            Effect.forEach(Arrays.chunksOf(batch, statementMaximum), (pets) => run(...insertPets(pets))),
            () => addTo(tally, batch),
          ),
        ).pipe(
          // Last, so that writes to the same slot do not wait for the entire import.
          Effect.tap((tally) => (isCounted ? run(countTally(1), countValues(tally)) : Effect.void)),
          Effect.map((tally) => tally.values().reduce((sum, pets) => sum + pets, 0)),
        ),
      ),

    replace: change,

    remove: (seen) => change(seen),

    correctAll: (corrections) =>
      transaction((run) =>
        Effect.gen(function* () {
          const outcomes: Array<CorrectionOutcome> = corrections.map(() => "done")
          const tally: Tally = new Map()
          // In identifier order, so that two corrections of the same pets never deadlock.
          const inOrder = Arrays.sortWith(corrections.entries(), ([, [petId]]) => petId, Order.bigint)
          for (const [place, [petId, { name = null, categoryId = null, status }]] of inOrder) {
            const isMoved = isCounted && status !== undefined
            const [former] = isMoved ? yield* run(lockPet, [petId]) : []
            const words = name === null ? null : wordsTextOf(name)
            const values = [petId, name, categoryId, status !== undefined, status ?? null, words]
            const [corrected] = yield* run(correct, values)
            if (corrected === undefined) {
              outcomes[place] = (yield* run("SELECT id FROM pets WHERE id = $1", [petId])).length === 0 ? "not-found" : "reserved"
            } else if (isMoved) {
              const [from, to] = [String(former?.[0] ?? ""), status ?? ""]
              tally.set(from, (tally.get(from) ?? 0) - 1)
              tally.set(to, (tally.get(to) ?? 0) + 1)
            }
          }
          // Updates the counts last, as in an import.
          if (isCounted && tally.values().some((pets) => pets !== 0)) yield* run(countTally(1), countValues(tally))
          return outcomes
        }),
      ),

    find: (id) => oneOf(read(findText, [id]), petOfRow),

    list: (selection) => allOf(read(...page(selection)), petOfRow),

    search: petSearch(database),
  })
}
