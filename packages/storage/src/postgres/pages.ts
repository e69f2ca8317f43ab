import { minInt64, type OrderSelection, type PetSelection, pageLimits } from "@petstore/core"
import * as Option from "effect/Option"
import { type PreparedText, prepared } from "./engine/connection.js"

/**
 * The limits that most requests use, plus one row that shows whether another page follows. Every server process makes a plan for
 * every combination of text and limit.
 */
const preparedLimits: ReadonlySet<number> = new Set([pageLimits.default + 1, pageLimits.maximum + 1])

/**
 * The statement that reads a page of a table by ascending identifier, and its values. With the limit in the text, one plan is
 * best for every page.
 */
export const pagesOf =
  (table: "pets" | "orders", columns: string) =>
  ({
    status,
    after,
    limit,
  }: Pick<PetSelection | OrderSelection, "status" | "after" | "limit">): readonly [
    PreparedText | string,
    ReadonlyArray<unknown>,
  ] => {
    const from = Option.getOrElse(after, () => minInt64)
    // The first page excludes no identifier, because some engines use the entire range of identifiers.
    const follows = Option.isNone(after) ? ">=" : ">"
    const [where, values] = Option.isNone(status)
      ? [`id ${follows} $1 ORDER BY id`, [from]]
      : // Only the index on (status, id) has this order. With `status = $1`, a plan can scan by identifier for a long time.
        [`(status, id) ${follows} ($1, $2) AND status <= $1 ORDER BY status, id`, [status.value, from]]
    const text = `SELECT ${columns} FROM ${table} WHERE ${where} LIMIT`
    return preparedLimits.has(limit)
      ? [prepared(`${limit} ${table} ${follows}${Option.isNone(status) ? "" : " by status"}`, `${text} ${limit}`), values]
      : [`${text} $${values.length + 1}`, [...values, limit]]
  }
