/**
 * Pets of an import until the last one has come. They wait in a temporary table,
 * which spills to disk by itself: memory stays bounded, and the write lock of the store is
 * held for the final copy alone.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { NewPet } from "@petstore/core"
import { allOrNothing } from "./group-commit.js"

/** The table is made when the first pet comes. */
export const stagingTable = (connection: DatabaseSync) => {
  let insert: StatementSync | undefined

  const create = (): StatementSync => {
    connection.exec("CREATE TEMP TABLE staged_pets (name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT) STRICT")
    return connection.prepare("INSERT INTO temp.staged_pets (name, category_id, status) VALUES (?, ?, ?)")
  }

  return {
    add: (batch: ReadonlyArray<NewPet>): void => {
      if (batch.length === 0) return
      insert ??= create()
      const statement = insert
      // One transaction for the batch; if it fails none is left open, in which every later write would fail.
      allOrNothing(connection, () => {
        for (const { name, categoryId, status } of batch) statement.run(name, categoryId, status ?? null)
      })()
    },

    /** Copies every staged pet, in the order of arrival, and answers how many there were. */
    copyInto: (table: "main.pets"): number =>
      insert === undefined
        ? 0
        : Number(
            connection
              .prepare(
                `INSERT INTO ${table} (name, category_id, status) SELECT name, category_id, status FROM temp.staged_pets ORDER BY rowid`,
              )
              .run().changes,
          ),

    drop: (): void => {
      if (insert !== undefined) connection.exec("DROP TABLE temp.staged_pets")
    },
  }
}
