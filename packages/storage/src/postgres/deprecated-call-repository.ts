/** Calls of deprecated operations in PostgreSQL. */
import { DeprecatedCallRepository } from "@petstore/core"
import { Effect } from "effect"
import { deprecatedCallColumns, deprecatedCallsOfRow } from "../rows.js"
import type { Statements } from "./engine/database.js"

/**
 * Calls of one key and operation are added up first, because a statement may not change a row twice,
 * and rows are changed in one order, so that two processes do not lock each other out.
 */
const add = `INSERT INTO deprecated_calls (${deprecatedCallColumns})
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
      read(`SELECT ${deprecatedCallColumns} FROM deprecated_calls ORDER BY last_called_at DESC, key_id, operation`),
      (rows) => rows.map(deprecatedCallsOfRow),
    ),
  })
