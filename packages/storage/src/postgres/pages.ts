/** Statements that read a page of a list. */
import { minInt64, pageLimits } from "@petstore/core"
import * as Option from "effect/Option"
import { type PreparedText, prepared } from "./engine/connection.js"

/**
 * The limits of most requests, plus one row that tells whether another page follows. Each text and limit costs a plan in every
 * process of the server.
 */
const preparedLimits: ReadonlySet<number> = new Set([pageLimits.default + 1, pageLimits.maximum + 1])

/** Which page: of one status or of all, after an identifier or from the first. */
interface PageSelection {
  readonly status: Option.Option<string>
  readonly after: Option.Option<bigint>
  readonly limit: number
}

/**
 * The statement of a page of a table by ascending identifier, and its values. With the limit in its text one plan is best for
 * every page.
 */
export const pagesOf =
  (table: "pets" | "orders", columns: string) =>
  ({ status, after, limit }: PageSelection): readonly [PreparedText | string, ReadonlyArray<unknown>] => {
    const from = Option.getOrElse(after, () => minInt64)
    // No identifier is excluded on the first page: some engines use the whole range.
    const follows = Option.isNone(after) ? ">=" : ">"
    const [where, values] = Option.isNone(status)
      ? [`id ${follows} $1 ORDER BY id`, [from]]
      : // Written so that only the index on (status, id) gives the order. With `status = $1` the planner may scan the identifiers until it has found enough rows of the status, which may take long.
        [`(status, id) ${follows} ($1, $2) AND status <= $1 ORDER BY status, id`, [status.value, from]]
    const text = `SELECT ${columns} FROM ${table} WHERE ${where} LIMIT`
    return preparedLimits.has(limit)
      ? [prepared(`${limit} ${table} ${follows}${Option.isNone(status) ? "" : " by status"}`, `${text} ${limit}`), values]
      : [`${text} $${values.length + 1}`, [...values, limit]]
  }
