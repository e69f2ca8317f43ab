/** Calls of deprecated operations in SQLite. */
import type { DatabaseSync } from "node:sqlite"
import { DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import { deprecatedCallColumns, deprecatedCallsOfRow } from "../rows.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"
import { allOrNothing } from "./engine/transaction.js"

/** The writes of counted calls. */
export const deprecatedCallWrites = (connection: DatabaseSync) => {
  const add = prepareExact(
    connection,
    `INSERT INTO deprecated_calls (${deprecatedCallColumns}) VALUES (?, ?, ?, ?)
     ON CONFLICT (key_id, operation) DO UPDATE SET
       calls = calls + excluded.calls,
       last_called_at = max(last_called_at, excluded.last_called_at)`,
  )
  return {
    recordDeprecatedCalls: (batch: ReadonlyArray<DeprecatedCalls>): void =>
      allOrNothing(connection, () => {
        for (const { keyId, operation, calls, lastCalledAt } of batch) add.run(keyId, operation, calls, lastCalledAt.getTime())
      }),
  }
}

export const sqliteDeprecatedCallRepository = ({ prepare, run, writes }: Database<ReturnType<typeof deprecatedCallWrites>>) => {
  const selectAll = prepare(`SELECT ${deprecatedCallColumns} FROM deprecated_calls ORDER BY last_called_at DESC`)

  return DeprecatedCallRepository.of({
    record: (batch) => writes.recordDeprecatedCalls(batch),
    list: run(() => selectAll.all().map(deprecatedCallsOfRow)),
  })
}
