/**
 * Imports either all the pets in a stream or none of them. A stream of one batch is inserted directly, like any other write.
 * Otherwise the batches wait in a temporary table, which SQLite spills to disk. Memory use therefore stays limited, and only the
 * final copy holds the lock.
 */
import type { DatabaseSync } from "node:sqlite"
import type { PetRepository, StorageUnavailable, ValidNewPet } from "@petstore/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Database } from "./engine/database.js"
import { statementsOn } from "./engine/statements.js"
import { petInserts } from "./pet-inserts.js"

export const insertAll = (
  { connection, run, transact }: Pick<Database, "connection" | "run" | "transact">,
  insertPets: (pets: ReadonlyArray<ValidNewPet>) => Effect.Effect<void, StorageUnavailable>,
): Context.Tag.Service<PetRepository>["insertAll"] => {
  /** A connection has only one staging table. */
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  return (batches) =>
    Effect.acquireUseRelease(
      Effect.sync(() => stagingTable(connection)),
      (staged) => {
        let last: ReadonlyArray<ValidNewPet> = []
        let count = 0
        const hold = (batch: ReadonlyArray<ValidNewPet>) =>
          run(() => {
            staged.add(last)
            last = batch
            count += batch.length
          })
        const keep = Effect.suspend(() => (staged.isEmpty() ? insertPets(last) : transact(() => staged.copyWith(last))))
        return Stream.runForEach(batches, hold).pipe(
          Effect.zipRight(keep),
          Effect.map(() => count),
        )
      },
      (staged) => Effect.sync(staged.drop),
    ).pipe(oneAtATime.withPermits(1))
}

/** The table of pets that wait for the end of their import. A stream of one batch does not need it. */
const stagingTable = (connection: DatabaseSync) => {
  const { prepare, allOrNothing } = statementsOn(connection)
  let insert: ((pets: ReadonlyArray<ValidNewPet>) => void) | undefined

  const create = () => {
    connection.exec(
      "CREATE TEMP TABLE staged_pets (name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT, free INTEGER NOT NULL) STRICT",
    )
    return petInserts(prepare, "temp.staged_pets")
  }

  const add = (batch: ReadonlyArray<ValidNewPet>): void => {
    if (batch.length === 0) return
    insert ??= create()
    const insertInto = insert
    // One transaction per batch. A failure must not leave the transaction open, or every later write would fail.
    allOrNothing(() => insertInto(batch))
  }

  return {
    add,
    isEmpty: () => insert === undefined,

    /** Stages the last batch too, and copies everything into the catalogue in arrival order. */
    copyWith: (last: ReadonlyArray<ValidNewPet>): void => {
      add(last)
      connection.exec(
        "INSERT INTO main.pets (name, category_id, status, free) SELECT name, category_id, status, free FROM temp.staged_pets ORDER BY rowid",
      )
    },

    drop: (): void => {
      if (insert !== undefined) connection.exec("DROP TABLE temp.staged_pets")
    },
  }
}
