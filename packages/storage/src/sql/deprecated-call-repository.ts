import { DeprecatedCallRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import { deprecatedCallColumns, deprecatedCallsOfRow } from "../rows.js"
import { allOf, type Tables } from "./tables.js"

/** The SQL that reads the rows in a JSON text, and the SQL function for the greater of two values. */
const words = {
  sqlite: {
    given:
      "(SELECT value ->> 0 AS key_id, value ->> 1 AS operation, value ->> 2 AS calls, value ->> 3 AS last_called_at FROM json_each(?))",
    greater: "max",
  },
  postgres: {
    given:
      "(SELECT value ->> 0 AS key_id, value ->> 1 AS operation, (value ->> 2)::int8 AS calls, (value ->> 3)::int8 AS last_called_at FROM json_array_elements(?::json))",
    greater: "greatest",
  },
}

/** Adds up first, because a PostgreSQL statement cannot change a row twice. Sorts, so that two processes do not deadlock. */
const addOf = (dialect: keyof typeof words): string => `INSERT INTO deprecated_calls (${deprecatedCallColumns})
  SELECT key_id, operation, CAST(sum(calls) AS bigint), max(last_called_at) FROM ${words[dialect].given} AS given
  GROUP BY key_id, operation
  ORDER BY key_id, operation
  ON CONFLICT (key_id, operation) DO UPDATE SET
    calls = deprecated_calls.calls + excluded.calls,
    last_called_at = ${words[dialect].greater}(deprecated_calls.last_called_at, excluded.last_called_at)`

export const deprecatedCallRepository = ({ dialect, read, write }: Tables) => {
  const add = addOf(dialect)
  return DeprecatedCallRepository.of({
    record: (batch) => {
      const rows = batch.map(({ keyId, operation, calls, lastCalledAt }) => [keyId, operation, calls, lastCalledAt.getTime()])
      return rows.length === 0 ? Effect.void : Effect.asVoid(write(add, [JSON.stringify(rows)]))
    },

    list: allOf(
      read(`SELECT ${deprecatedCallColumns} FROM deprecated_calls ORDER BY last_called_at DESC, key_id, operation`),
      deprecatedCallsOfRow,
    ),
  })
}
