/** Calls of deprecated operations in SQLite. */
import { type ApiKeyId, DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import type { Database } from "./database.js"
import { allOrNothing } from "./group-commit.js"

export const sqliteDeprecatedCallRepository = ({ connection, prepare, read, write }: Database) => {
  const add = prepare(
    `INSERT INTO deprecated_calls (key_id, operation, calls, last_called_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (key_id, operation) DO UPDATE SET
       calls = calls + excluded.calls,
       last_called_at = max(last_called_at, excluded.last_called_at)`,
  )
  const selectAll = prepare("SELECT key_id, operation, calls, last_called_at FROM deprecated_calls ORDER BY last_called_at DESC")

  return DeprecatedCallRepository.of({
    record: (calls) =>
      write(
        allOrNothing(connection, () => {
          for (const { keyId, operation, calls: count, lastCalledAt } of calls)
            add.run(keyId, operation, count, lastCalledAt.getTime())
        }),
      ),

    list: read(() => selectAll.all().map(deprecatedCallsOfRow)),
  })
}

/** Safe: the statement lists these columns in this order, of a STRICT table that only this adapter writes. */
const deprecatedCallsOfRow = (row: unknown): DeprecatedCalls => {
  const [keyId, operation, calls, lastCalledAt] = row as [ApiKeyId, string, bigint, bigint]
  return { keyId, operation, calls: Number(calls), lastCalledAt: new Date(Number(lastCalledAt)) }
}
