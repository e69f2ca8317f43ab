/** Pets in SQLite. */
import { IdempotencyKeyReused, minInt64, type NewPet, type Pet, type PetId, PetRepository, type PetStatus } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import type { Database } from "./database.js"
import { allOrNothing } from "./group-commit.js"
import { sqliteIdempotency } from "./idempotency.js"
import { petRevision } from "./revision.js"
import { stagingTable } from "./staging-table.js"

export const sqlitePetRepository = (database: Database) => {
  const { connection, prepare, read, write } = database
  const idempotency = sqliteIdempotency(database)
  const insertOne = prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")
  const selectOne = prepare("SELECT id, name, category_id, status FROM pets WHERE id = ?")
  const selectAll = prepare("SELECT id, name, category_id, status FROM pets WHERE id > ? ORDER BY id LIMIT ?")
  const selectByStatus = prepare("SELECT id, name, category_id, status FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?")

  /** There is one staging table for each connection. */
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  const revision = petRevision(connection)

  const insertNow = ({ name, categoryId, status }: NewPet): PetId =>
    // Safe: `prepare` asks for exact integers, so the identifier is a bigint, and SQLite's are 64 bits wide.
    insertOne.run(name, categoryId, status ?? null).lastInsertRowid as PetId

  return PetRepository.of({
    insert: (pet) => write(() => petOf(insertNow(pet), pet)),

    insertOnce: (pet, claim) =>
      Effect.flatMap(
        write(
          allOrNothing(connection, () => {
            const first = idempotency.find(claim)
            if (first instanceof IdempotencyKeyReused) return first
            // The same fingerprint is the same body: with the identifier it gives the first answer again.
            if (first !== undefined) return petOf(first as PetId, pet)
            const id = insertNow(pet)
            idempotency.keep(claim, id)
            return petOf(id, pet)
          }),
        ),
        (kept) => (kept instanceof IdempotencyKeyReused ? kept : Effect.succeed(kept)),
      ),

    insertAll: (batches) =>
      Effect.acquireUseRelease(
        Effect.sync(() => stagingTable(connection)),
        (staged) => {
          // All but the last batch are staged: a stream of one batch costs no more than its inserts.
          let last: ReadonlyArray<NewPet> = []
          const keepAll = allOrNothing(connection, () => {
            const copied = staged.copyInto("main.pets")
            for (const pet of last) insertNow(pet)
            return copied + last.length
          })
          const hold = (batch: ReadonlyArray<NewPet>) =>
            read(() => {
              staged.add(last)
              last = batch
            })
          return Effect.zipRight(Stream.runForEach(batches, hold), write(keepAll))
        },
        (staged) => Effect.sync(staged.drop),
      ).pipe(oneAtATime.withPermits(1)),

    find: (id) => read(() => Option.map(Option.fromNullable(selectOne.get(id)), petOfRow)),

    revision,

    list: ({ status, after, limit }) =>
      read(() => {
        const from = Option.getOrElse(after, () => minInt64)
        const rows = Option.isNone(status) ? selectAll.all(from, limit) : selectByStatus.all(status.value, from, limit)
        return rows.map(petOfRow)
      }),
  })
}

const petOf = (id: PetId, { name, categoryId, status }: NewPet): Pet =>
  status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }

/** Safe: the statement lists these columns in this order, as arrays with exact integers, of a STRICT table that only this adapter writes. */
const petOfRow = (row: unknown): Pet => {
  const [id, name, categoryId, status] = row as [PetId, string, bigint, PetStatus | null]
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status }
}
