import { maxInt64, minInt64, type OrderSelection, type PetOrder, type PetSelection, pageLimits } from "@petstore/core"
import * as Option from "effect/Option"
import { type BoundStatement, prepared } from "./engine/connection.js"

/** Frequent limits, plus one row that shows whether another page follows. Each server process plans each text and limit. */
const preparedLimits: ReadonlySet<number> = new Set([pageLimits.default + 1, pageLimits.maximum + 1])

/** The condition, order and values of a scan in identifier order after a place, among the rows with one value if there is one. */
export const indexRange = (
  column: "status" | "category_id",
  value: string | bigint | undefined,
  order: PetOrder,
  after: bigint | undefined,
) => {
  const isUp = order === "asc"
  // The first page excludes no identifier, because some engines use the entire range of identifiers.
  const follows = `${isUp ? ">" : "<"}${after === undefined ? "=" : ""}`
  const from = after ?? (isUp ? minInt64 : maxInt64)
  if (value === undefined) return { where: `id ${follows} $1`, by: `id ${order}`, values: [from] }
  // Only the index on both columns has this order. With `status = $1`, a plan can scan by identifier for a long time.
  const where = `(${column}, id) ${follows} ($1, $2) AND ${column} ${isUp ? "<=" : ">="} $1`
  return { where, by: `${column} ${order}, id ${order}`, values: [value, from] }
}

/** The statement that reads a page by ascending identifier. With the limit in the text, one plan is best for every page. */
export const pagesOf =
  (table: "pets" | "orders", columns: string) =>
  ({ status, after, limit }: Pick<PetSelection | OrderSelection, "status" | "after" | "limit">): BoundStatement => {
    const { where, by, values } = indexRange("status", Option.getOrUndefined(status), "asc", Option.getOrUndefined(after))
    const text = `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${by} LIMIT`
    return preparedLimits.has(limit)
      ? [prepared(`${limit} ${table} ${where}`, `${text} ${limit}`), values]
      : [`${text} $${values.length + 1}`, [...values, limit]]
  }
