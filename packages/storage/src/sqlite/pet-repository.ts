import {
  type Actor,
  type CorrectionOfPet,
  type CorrectionOutcome,
  correctedPet,
  IdempotencyKeyReused,
  minInt64,
  type Pet,
  type PetId,
  PetRepository,
  type ValidNewPet,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isSamePet, optionOfRow, type PetChange, petChange, petColumns, petOf, petOfRow, refusalOf } from "../rows.js"
import type { RecordChange } from "./change-writes.js"
import { limited, rowInserts, type Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { sqliteIdempotency } from "./idempotency.js"
import { insertAll } from "./pet-import.js"
import { petInserts, textsOf } from "./pet-inserts.js"
import { petSearch } from "./pet-search.js"
import { waitingWordsOf } from "./pet-words.js"

/** The arguments of two or more calls of `insertPet`. */
type PetsToInsert = readonly [InsertedPet, ...ReadonlyArray<InsertedPet>]
type InsertedPet = readonly [given: ValidNewPet, by: Actor | undefined]

/** SQL condition that a placed order reserves the pet. */
const isReserved = "(status IS 'pending' AND reserved)"

export const petWrites = (statements: Statements, record: RecordChange) => {
  const { prepare, allOrNothing } = statements
  const columns = ["name", "category_id", "status", "waiting_words"]
  const insert = prepare(`INSERT INTO pets (${columns.join()}) VALUES (?, ?, ?, ?)`)
  // `OR FAIL` needs no statement journal. A failure here undoes the entire transaction.
  const insertRows = rowInserts(statements, "INSERT OR FAIL INTO pets", columns)
  const insertMany = petInserts(statements)

  // A repeated value is passed twice, because node:sqlite in Node 22 does not bind `?1` by number.
  const isSeen = "id = ? AND name = ? AND category_id = ? AND status IS ?"
  const replace = prepare(`UPDATE pets SET name = ?, category_id = ?, status = ?
     WHERE ${isSeen} AND NOT (${isReserved} AND ? IS NOT 'pending')`)
  const remove = prepare(`DELETE FROM pets WHERE ${isSeen} AND NOT ${isReserved}`)
  const select = prepare(`SELECT ${petColumns}, ${isReserved} FROM pets WHERE id = ?`)

  const valuesOf = ({ name, categoryId, status }: ValidNewPet) => [name, categoryId, status ?? null] as const
  const outcomeOf = ({ changes }: { readonly changes: number | bigint }, seen: Pet): PetChange =>
    changes === 1n ? "done" : refusalOf(select.get(seen.id), seen)

  const rowOf = (pet: ValidNewPet) => [...valuesOf(pet), waitingWordsOf(pet.name)]

  const recordPet = (id: PetId, given: ValidNewPet, by: Actor | undefined): Pet => {
    const pet = petOf(id, given)
    record("createPet", by, undefined, { pet })
    return pet
  }

  const insertPet = (given: ValidNewPet, by: Actor | undefined): Pet => {
    const { changes, lastInsertRowid } = insert.run(...rowOf(given))
    if (changes !== 1n) throw new Error("A trigger by hand has kept the pet out of the store.")
    // Safe: `prepare` requests exact integers, so the identifier is a bigint, and SQLite's integers are 64 bits wide.
    return recordPet(lastInsertRowid as PetId, given, by)
  }

  /** Inserts the pets of several calls. Their identifiers follow each other, unless triggers by hand do something else. */
  const insertEach = ([[given, by], ...others]: PetsToInsert): ReadonlyArray<Pet> => {
    const first = insertPet(given, by)
    const { count, last } = insertRows(others.flatMap(([pet]) => rowOf(pet)))
    const areInOrder = count === others.length && last === first.id + BigInt(count)
    if (!areInOrder) throw new Error("A trigger by hand has inserted pets or kept some out.")
    // Safe: identifiers rise, so there is one for each pet.
    return [first, ...others.map(([pet, who], index) => recordPet((first.id + BigInt(index + 1)) as PetId, pet, who))]
  }

  const replacePet = (seen: Pet, to: Pet, by: Actor | undefined): PetChange => {
    const status = to.status ?? null
    const change = outcomeOf(replace.run(...valuesOf(to), seen.id, ...valuesOf(seen), status), seen)
    if (change === "done" && !isSamePet(seen, to)) record("correctPet", by, { pet: seen }, { pet: to })
    return change
  }

  const correct = ([petId, correction]: CorrectionOfPet, by: Actor | undefined): CorrectionOutcome => {
    const row = select.get(petId)
    if (row === undefined) return "not-found"
    const seen = petOfRow(row)
    const change = replacePet(seen, correctedPet(seen, correction), by)
    if (change === "changed") throw new Error(`Pet ${petId} changed in the transaction that corrects it.`)
    return change
  }

  return {
    insertPet: Object.assign(insertPet, { atOnce: insertEach }),
    replacePet,

    correctPets: (corrections: ReadonlyArray<CorrectionOfPet>, by: Actor | undefined): ReadonlyArray<CorrectionOutcome> =>
      allOrNothing(() => corrections.map((correction) => correct(correction, by))),

    removePet: (seen: Pet, by: Actor | undefined): PetChange => {
      const change = outcomeOf(remove.run(seen.id, ...valuesOf(seen)), seen)
      if (change === "done") record("removePet", by, { pet: petOf(seen.id, seen) }, undefined)
      return change
    },

    insertPets: (pets: ReadonlyArray<ValidNewPet>, by: Actor | undefined): void =>
      allOrNothing(() => insertMany(textsOf(pets), by)),

    /** The identifier of the pet that the first request with this key created; `"reused"` if that was a different request. */
    insertPetOnce: sqliteIdempotency<ValidNewPet, PetId>(statements, {
      make: (pet, _claimedAt, by) => insertPet(pet, by).id,
      idOf: (id) => id,
      find: (id) => id,
    }),
  }
}

export const sqlitePetRepository = (database: Database<ReturnType<typeof petWrites>>) => {
  const { prepare, run, writes } = database
  const selectOne = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const selectAll = prepare(`SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id ${limited}`)
  const selectByStatus = prepare(`SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id ${limited}`)

  return PetRepository.of({
    insert: writes.insertPet,

    insertOnce: (pet, claim, by) =>
      Effect.flatMap(writes.insertPetOnce(pet, claim, by), (made) =>
        made === "reused"
          ? new IdempotencyKeyReused({ key: claim.key })
          : // The same fingerprint means the same body, so this is the first request's result.
            Effect.succeed({ value: petOf(made.value, pet), isNew: made.isNew }),
      ),

    insertAll: insertAll(database, writes.insertPets),

    replace: (seen, to, by) => Effect.flatMap(writes.replacePet(seen, to, by), (change) => petChange(seen, change)),

    remove: (seen, by) => Effect.flatMap(writes.removePet(seen, by), (change) => petChange(seen, change)),

    correctAll: (corrections, by) => writes.correctPets(corrections, by),

    find: (id) => run(() => optionOfRow(selectOne.get(id), petOfRow)),

    list: ({ status, after, limit }) =>
      run(() => {
        const from = Option.getOrElse(after, () => minInt64)
        const rows = Option.isNone(status) ? selectAll.all(from, limit) : selectByStatus.all(status.value, from, limit)
        return rows.map(petOfRow)
      }),

    search: petSearch(database),
  })
}
