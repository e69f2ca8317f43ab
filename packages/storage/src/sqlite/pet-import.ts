/** Imports all pets or none: one batch directly, several through a temporary table on disk, so that only the last copy locks. */
import type { Actor, PetRepository, StorageUnavailable, ValidNewPet } from "@petstore/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ownChanges } from "./change-writes.js"
import { statementsOn } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { petInserts, textsOf } from "./pet-inserts.js"

/** One row holds a batch. */
const createStaged = "CREATE TEMP TABLE staged_pets (pets TEXT NOT NULL, words TEXT NOT NULL, count INTEGER NOT NULL) STRICT"

export const insertAll = (
  { connection, run, transact }: Pick<Database, "connection" | "run" | "transact">,
  insertPets: (pets: ReadonlyArray<ValidNewPet>, by: Actor | undefined) => Effect.Effect<void, StorageUnavailable>,
): Context.Tag.Service<PetRepository>["insertAll"] => {
  const { prepare } = statementsOn(connection)
  const setOwn = ownChanges({ prepare })
  /** A connection has only one staging table. */
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  return (batches, by) =>
    Effect.suspend(() => {
      let stage: ((pets: ReadonlyArray<ValidNewPet>) => void) | undefined
      let last: ReadonlyArray<ValidNewPet> = []
      let count = 0

      const create = () => {
        connection.exec(createStaged)
        const insert = prepare("INSERT INTO temp.staged_pets (pets, words, count) VALUES (?, ?, ?)")
        return (batch: ReadonlyArray<ValidNewPet>): void => {
          const { pets, words, count: size } = textsOf(batch)
          insert.run(pets, words, size)
        }
      }
      const stageLast = (): void => {
        if (last.length === 0) return
        stage ??= create()
        stage(last)
      }
      const hold = (batch: ReadonlyArray<ValidNewPet>) =>
        run(() => {
          stageLast()
          last = batch
          count += batch.length
        })
      const copy = transact(() => {
        stageLast()
        setOwn(1)
        const insertBatch = petInserts({ prepare })
        for (const row of prepare("SELECT pets, words, count FROM temp.staged_pets ORDER BY rowid").iterate()) {
          // Safe: the statement lists these columns.
          const [pets, words, size] = row as unknown as readonly [string, string, bigint]
          insertBatch({ pets, words, count: size }, by)
        }
        setOwn(0)
      })
      return Stream.runForEach(batches, hold).pipe(
        Effect.zipRight(Effect.suspend(() => (stage === undefined ? insertPets(last, by) : copy))),
        Effect.map(() => count),
        Effect.ensuring(Effect.sync(() => stage !== undefined && connection.exec("DROP TABLE temp.staged_pets"))),
      )
    }).pipe(oneAtATime.withPermits(1))
}
