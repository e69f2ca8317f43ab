/** Calls of deprecated operations in PostgreSQL. */
import { type ApiKeyId, DeprecatedCallRepository, type DeprecatedCalls } from "@petstore/core"
import { Effect } from "effect"
import type { Statements } from "./engine/database.js"

/**
 * Calls of one key and operation are added up first, because a statement may not change a row twice,
 * and rows are changed in one order, so that two processes do not lock each other out.
 */
const add = `INSERT INTO deprecated_calls (key_id, operation, calls, last_called_at)
  SELECT key_id, operation, sum(calls)::int8, max(last_called_at)
  FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[]) AS given (key_id, operation, calls, last_called_at)
  GROUP BY key_id, operation
  ORDER BY key_id, operation
  ON CONFLICT (key_id, operation) DO UPDATE SET
    calls = deprecated_calls.calls + excluded.calls,
    last_called_at = greatest(deprecated_calls.last_called_at, excluded.last_called_at)`

export const postgresDeprecatedCallRepository = ({ read, write }: Statements) =>
  DeprecatedCallRepository.of({
    record: (calls) =>
      calls.length === 0
        ? Effect.void
        : Effect.asVoid(
            write(add, [
              calls.map(({ keyId }) => keyId),
              calls.map(({ operation }) => operation),
              calls.map(({ calls: count }) => count),
              calls.map(({ lastCalledAt }) => lastCalledAt.getTime()),
            ]),
          ),

    list: Effect.map(
      read(
        "SELECT key_id, operation, calls, last_called_at FROM deprecated_calls ORDER BY last_called_at DESC, key_id, operation",
      ),
      (rows) => rows.map(deprecatedCallsOfRow),
    ),
  })

/** Safe: the statement lists these columns in this order, of a table that only this adapter writes; an int8 is read as a bigint. */
const deprecatedCallsOfRow = (row: ReadonlyArray<unknown>): DeprecatedCalls => {
  const [keyId, operation, calls, lastCalledAt] = row as [ApiKeyId, string, bigint, bigint]
  return { keyId, operation, calls: Number(calls), lastCalledAt: new Date(Number(lastCalledAt)) }
}
