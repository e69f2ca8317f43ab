/** A search scans one index, usually the most selective, and skips excluded rows. By name, it also reads pets without a key. */
import { entriesMaximum, foundOf, type PetSearch, searchAmong } from "@petstore/core"
import * as Effect from "effect/Effect"
import { besideIndex, pageOfFound, passesBeside, placedOfRow, startOf } from "../found-pets.js"
import { petColumns, petOfRow } from "../rows.js"
import type { Database } from "./engine/database.js"
import { indexRange } from "./pages.js"

/** An index scan. The values of `filters`, which the scan's rows need not match, come after the scan's values and the limit. */
interface Scan {
  readonly columns: string
  readonly where: string
  readonly by: string
  readonly values: ReadonlyArray<unknown>
  readonly filters: ReadonlyArray<readonly [column: string, value: unknown]>
}

const scanOf = ({ status, categoryId, keys, order, after }: PetSearch): Scan => {
  const statusFilter = status === undefined ? [] : [["status", status] as const]
  if (keys !== undefined) {
    const { key, id } = startOf(keys, after)
    return {
      columns: `${petColumns}, search_key`,
      where: `(search_key, id) ${after === undefined ? ">=" : ">"} ($1, $2) AND search_key < $3`,
      by: "search_key, id",
      values: [key, id, keys.below],
      filters: categoryId === undefined ? statusFilter : [...statusFilter, ["category_id", categoryId]],
    }
  }
  return categoryId === undefined
    ? { columns: petColumns, ...indexRange("status", status, order, after?.id), filters: [] }
    : { columns: petColumns, ...indexRange("category_id", categoryId, order, after?.id), filters: statusFilter }
}

const textOf = ({ columns, where, by }: Scan): string => `SELECT ${columns} FROM pets WHERE ${where} ORDER BY ${by}`

const passes = ({ values, filters }: Scan): string =>
  filters.map(([column], index) => `${column} = $${values.length + 2 + index}`).join(" AND ")

/** Stops when the page is full, which happens early if many rows match. */
const untilFull = (scan: Scan): string => {
  const { columns, by, values, filters } = scan
  const matching =
    filters.length === 0
      ? textOf(scan)
      : `SELECT ${columns} FROM (${textOf(scan)} LIMIT ${entriesMaximum}) AS entries WHERE ${passes(scan)} ORDER BY ${by}`
  return `${matching} LIMIT $${values.length + 1}`
}

/** Reads up to the entry limit. Always returns the last row, from the same snapshot, because it determines where to continue. */
const untilEnd = (scan: Scan): string => {
  const { columns, by, values } = scan
  return `SELECT ${columns}, place FROM (
     SELECT ${columns}, row_number() OVER (ORDER BY ${by}) AS place FROM (${textOf(scan)} LIMIT ${entriesMaximum}) AS entries
   ) AS walk WHERE ${passes(scan)} OR place = ${entriesMaximum} ORDER BY ${by} LIMIT $${values.length + 1}`
}

/** The latest pets without a key, which come from an older release. The next start adds the keys of the other pets. */
const unkeyed = `SELECT ${petColumns} FROM pets WHERE search_key IS NULL ORDER BY search_key DESC, id DESC LIMIT ${entriesMaximum}`

export const petSearch =
  ({ read }: Database) =>
  (search: PetSearch) =>
    Effect.gen(function* () {
      const { id: ids, keys, limit } = search
      if (ids !== undefined) {
        const rows = yield* read(`SELECT ${petColumns} FROM pets WHERE id = ANY ($1::int8[])`, [ids])
        return searchAmong(rows.map(petOfRow), search)
      }
      const beside = keys === undefined ? [] : besideIndex((yield* read(unkeyed)).map(petOfRow), search)
      const scan = scanOf(search)
      const { values, filters } = scan
      const passing = filters.map(([, value]) => value)
      const found = yield* read(untilFull(scan), [...values, limit + 1, ...passing])
      if (keys === undefined && filters.length === 0) return foundOf(found.map(petOfRow), search)
      // One statement returns the page and the place to continue, so removals in between cannot make the search skip pets.
      const isComplete = found.length > limit || filters.length === 0
      const rows = isComplete ? found : yield* read(untilEnd(scan), [...values, limit + 2, ...passing])
      const placedRows = rows.map(placedOfRow)
      const isPassing = passesBeside(search)
      const along = placedRows.filter(({ pet }) => isPassing(pet))
      const isCut = along.length <= limit && rows.at(-1)?.at(-1) === BigInt(entriesMaximum)
      return pageOfFound(search, along, isCut ? placedRows.at(-1)?.place : undefined, beside)
    })
