/** Tables whose SQL is the same in both databases. All their rows are on the coordinator. */
import * as Effect from "effect/Effect"
import type { Tables } from "../sql/tables.js"
import type { Database } from "./engine/database.js"

/** Replaces `?` with PostgreSQL's parameters: `$1`, `$2` and so on. */
export const numbered = (sql: string): string => {
  let parameters = 0
  return sql.replaceAll("?", () => `$${++parameters}`)
}

export const postgresTables = ({ coordinator: { read, write }, transaction }: Database): Tables => ({
  dialect: "postgres",
  read: (sql, values) => read(numbered(sql), values),
  write: (sql, values) => write(numbered(sql), values),
  writeAll: ([first, values], ...others) =>
    transaction((run) =>
      Effect.tap(run(numbered(first), values), (rows) =>
        Effect.forEach(rows.length > 0 ? others : [], ([sql, bound]) => run(numbered(sql), bound)),
      ),
    ),
})
