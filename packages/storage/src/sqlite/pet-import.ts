/** Imports all pets or none: one batch directly, several through a temporary table on disk, so that only the last copy locks. */
import type { Actor, PetRepository, StorageUnavailable, ValidNewPet } from "@petstore/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { numberOfOperation } from "../change-rows.js"
import { wordsTextOf } from "../words-text.js"
import { actorNumbers } from "./change-writes.js"
import { statementsOn } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { petInserts } from "./pet-inserts.js"

const createStaged = `CREATE TEMP TABLE staged_pets (name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT) STRICT;
  CREATE TEMP TABLE staged_words (pet INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;`

const copyStaged =
  "INSERT INTO main.pets (name, category_id, status) SELECT name, category_id, status FROM temp.staged_pets ORDER BY rowid"

/** The copied pets have consecutive identifiers, as the staged pets have. */
const copyWords = "INSERT INTO main.pet_words (docid, words) SELECT pet + ?, words FROM temp.staged_words ORDER BY pet"

/** JSON texts of pets as triggers for SQL by hand write them, with `null` for an absent status. */
const copyChanges = `INSERT INTO main.changes (at, operation, actor, pet_id, after)
  SELECT ?, ${numberOfOperation("createPet")}, ?, id,
    json_object('pet', json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status))
  FROM main.pets WHERE id > ? AND id <= ? ORDER BY id`

export const insertAll = (
  { connection, run, transact }: Pick<Database, "connection" | "run" | "transact">,
  insertPets: (pets: ReadonlyArray<ValidNewPet>, by: Actor | undefined) => Effect.Effect<void, StorageUnavailable>,
): Context.Tag.Service<PetRepository>["insertAll"] => {
  const { prepare, allOrNothing } = statementsOn(connection)
  const own = prepare("UPDATE pet_changes SET is_own = ? WHERE id = 1")
  const numberOf = actorNumbers({ prepare })
  /** A connection has only one staging table. */
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  return (batches, by) =>
    Effect.suspend(() => {
      let insert: ((pets: ReadonlyArray<ValidNewPet>) => void) | undefined
      let last: ReadonlyArray<ValidNewPet> = []
      let count = 0

      const create = () => {
        connection.exec(createStaged)
        const insertStaged = petInserts(prepare, "temp.staged_pets")
        const insertWords = prepare("INSERT INTO temp.staged_words (pet, words) VALUES (?, ?)")
        return (pets: ReadonlyArray<ValidNewPet>): void => {
          const first = insertStaged(pets)
          for (const [index, { name }] of pets.entries()) insertWords.run(first + BigInt(index), wordsTextOf(name))
        }
      }
      const stageLast = (): void => {
        if (last.length === 0) return
        insert ??= create()
        const insertInto = insert
        // One transaction per batch. A failure must not leave the transaction open, or every later write would fail.
        allOrNothing(() => insertInto(last))
      }
      const hold = (batch: ReadonlyArray<ValidNewPet>) =>
        run(() => {
          stageLast()
          last = batch
          count += batch.length
        })
      const copy = transact(() => {
        stageLast()
        own.run(1)
        const { lastInsertRowid, changes } = prepare(copyStaged).run()
        const [last, before] = [BigInt(lastInsertRowid), BigInt(lastInsertRowid) - BigInt(changes)]
        prepare(copyWords).run(before)
        prepare(copyChanges).run(Date.now(), by === undefined ? null : numberOf(by), before, last)
        own.run(0)
      })
      return Stream.runForEach(batches, hold).pipe(
        Effect.zipRight(Effect.suspend(() => (insert === undefined ? insertPets(last, by) : copy))),
        Effect.map(() => count),
        Effect.ensuring(
          Effect.sync(() => insert !== undefined && connection.exec("DROP TABLE temp.staged_pets; DROP TABLE temp.staged_words")),
        ),
      )
    }).pipe(oneAtATime.withPermits(1))
}
