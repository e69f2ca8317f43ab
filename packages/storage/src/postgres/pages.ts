import { maxInt64, minInt64, type OrderSelection, type PetOrder, type PetSelection, pageLimits } from "@petstore/core"
import * as Option from "effect/Option"
import { type BoundStatement, prepared } from "./engine/connection.js"

/** Frequent limits, plus one row that shows whether another page follows. Each server process plans each text and limit. */
const preparedLimits: ReadonlySet<number> = new Set([pageLimits.default + 1, pageLimits.maximum + 1])

/** The condition and order of a scan in identifier order after a place, among the rows with one value if there is one. */
export const indexRange = (
  column: "status" | "category_id",
  value: string | bigint | null | undefined,
  order: PetOrder,
  after: bigint | undefined,
) => {
  const isUp = order === "asc"
  // The first page excludes no identifier, because some engines use the entire range of identifiers.
  const follows = `${isUp ? ">" : "<"}${after === undefined ? "=" : ""}`
  const from = after ?? (isUp ? minInt64 : maxInt64)
  const by = `${value === undefined ? "" : `${column} ${order}, `}id ${order}`
  const where = (parameter: (value: unknown) => string): string => {
    if (value === undefined) return `id ${follows} ${parameter(from)}`
    if (value === null) return `${column} IS NULL AND id ${follows} ${parameter(from)}`
    // Only the index on both columns has this order. With `status = $1`, a plan can scan by identifier for a long time.
    const [only, place] = [parameter(value), parameter(from)]
    return `(${column}, id) ${follows} (${only}, ${place}) AND ${column} ${isUp ? "<=" : ">="} ${only}`
  }
  return { where, by }
}

/** The statement that reads a page by identifier. With the limit in the text, one plan is best for every page. */
export const pagesOf =
  (table: "pets" | "orders", columns: string) =>
  ({
    status,
    after,
    limit,
    order = "asc",
  }: Pick<PetSelection | OrderSelection, "status" | "after" | "limit"> & Pick<OrderSelection, "order">): BoundStatement => {
    const range = indexRange("status", Option.getOrUndefined(status), order, Option.getOrUndefined(after))
    const values: Array<unknown> = []
    const where = range.where((value) => `$${values.push(value)}`)
    const text = `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${range.by} LIMIT`
    return preparedLimits.has(limit)
      ? [prepared(`${limit} ${table} ${where} ${order}`, `${text} ${limit}`), values]
      : [`${text} $${values.length + 1}`, [...values, limit]]
  }
