/** Pets in SQLite. */
import type { DatabaseSync } from "node:sqlite"
import { type IdempotencyClaim, IdempotencyKeyReused, minInt64, type NewPet, type PetId, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { optionOfRow, petColumns, petOf, petOfRow } from "../rows.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"
import { allOrNothing } from "./engine/transaction.js"
import { sqliteIdempotency } from "./idempotency.js"
import { insertAll } from "./pet-import.js"
import { petInserts } from "./pet-inserts.js"
import { petRevision } from "./pet-revision.js"

/** The writes of pets. */
export const petWrites = (connection: DatabaseSync) => {
  const insert = prepareExact(connection, "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")
  const insertMany = petInserts(connection, "main.pets")
  const idempotency = sqliteIdempotency(connection)

  const insertPet = ({ name, categoryId, status }: NewPet): PetId =>
    // Safe: `prepareExact` asks for exact integers, so the identifier is a bigint, and SQLite's are 64 bits wide.
    insert.run(name, categoryId, status ?? null).lastInsertRowid as PetId

  return {
    insertPet,

    /** Inserts all pets or none. */
    insertPets: (pets: ReadonlyArray<NewPet>): void => allOrNothing(connection, () => insertMany(pets)),

    /** The identifier of the pet that the first request of this name made, `"reused"` if that was another request. */
    insertPetOnce: (pet: NewPet, claim: IdempotencyClaim): PetId | "reused" =>
      allOrNothing(connection, () => {
        const first = idempotency.find(claim)
        // Safe: what a claim of this operation made is a pet.
        if (first !== undefined) return first as PetId | "reused"
        const id = insertPet(pet)
        idempotency.keep(claim, id)
        return id
      }),
  }
}

export const sqlitePetRepository = ({ connection, prepare, run, together, writes }: Database<ReturnType<typeof petWrites>>) => {
  const selectOne = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const selectAll = prepare(`SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
  const selectByStatus = prepare(`SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`)

  return PetRepository.of({
    insert: (pet) => Effect.map(writes.insertPet(pet), (id) => petOf(id, pet)),

    insertOnce: (pet, claim) =>
      Effect.flatMap(writes.insertPetOnce(pet, claim), (id) =>
        // The same fingerprint is the same body: with the identifier it gives the first answer again.
        id === "reused" ? new IdempotencyKeyReused({ key: claim.key }) : Effect.succeed(petOf(id, pet)),
      ),

    insertAll: insertAll(connection, run, writes.insertPets),

    find: (id) => run(() => optionOfRow(selectOne.get(id), petOfRow)),

    list: ({ status, after, limit }) =>
      run(() => {
        const from = Option.getOrElse(after, () => minInt64)
        const rows = Option.isNone(status) ? selectAll.all(from, limit) : selectByStatus.all(status.value, from, limit)
        return rows.map(petOfRow)
      }),

    revision: petRevision(connection),

    together,
  })
}
