/**
 * Pet searches in PostgreSQL. A search scans one index, usually the most selective, and skips rows that other filters exclude. A
 * search by name also reads pets without a search key.
 */
import {
  entriesMaximum,
  foundOf,
  type KeyRange,
  maxInt64,
  minInt64,
  type PetRepository,
  type PetSearch,
  type PetsFound,
  searchAmong,
} from "@petstore/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { besideIndex, type Placed, pageOfFound, passesBeside, startOf } from "../found-pets.js"
import { petColumns, petOfRow } from "../rows.js"
import type { Rows } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

/** An index range to scan: the index's first column, if the search has a value for that column, and the identifier. */
interface Walk {
  readonly column: "category_id" | "status" | undefined
  readonly value: bigint | string | undefined
}

const walkOf = ({ categoryId, status }: PetSearch): Walk =>
  categoryId !== undefined
    ? { column: "category_id", value: categoryId }
    : { column: status === undefined ? undefined : "status", value: status }

/** The index range that a search reads from its starting place, and the sort order. */
const entriesOf = (search: PetSearch, { column, value }: Walk) => {
  const { order, after } = search
  const isUp = order === "asc"
  // The first page excludes no identifier, because some engines use the entire range of identifiers.
  const follows = `${isUp ? ">" : "<"}${after === undefined ? "=" : ""}`
  const from = after?.id ?? (isUp ? minInt64 : maxInt64)
  const by = column === undefined ? `id ${order}` : `${column} ${order}, id ${order}`
  const text =
    column === undefined
      ? `SELECT ${petColumns} FROM pets WHERE id ${follows} $1 ORDER BY ${by}`
      : // As in the list: only the index on both columns provides this order.
        `SELECT ${petColumns} FROM pets WHERE (${column}, id) ${follows} ($1, $2) AND ${column} ${isUp ? "<=" : ">="} $1 ORDER BY ${by}`
  return { text, by, values: column === undefined ? [from] : [value, from] }
}

/** The rows of an index scan, some of which do not match. The filters' values come after the entries' values and the limit. */
interface Entries {
  readonly columns: string
  readonly text: string
  readonly by: string
  readonly values: ReadonlyArray<unknown>
  readonly passes: string
  readonly passing: ReadonlyArray<unknown>
}

/** Stops when the page is full, which happens early if many rows match. */
const untilFull = ({ columns, text, by, values, passes }: Entries): string =>
  `SELECT ${columns} FROM (${text} LIMIT ${entriesMaximum}) AS entries WHERE ${passes} ORDER BY ${by} LIMIT $${values.length + 1}`

/**
 * Reads up to the entry limit. The last row is always returned, from the same snapshot as the other rows, because it determines
 * where to continue.
 */
const untilEnd = ({ columns, text, by, values, passes }: Entries): string =>
  `SELECT ${columns}, place FROM (
     SELECT ${columns}, row_number() OVER (ORDER BY ${by}) AS place FROM (${text} LIMIT ${entriesMaximum}) AS entries
   ) AS walk WHERE ${passes} OR place = ${entriesMaximum} ORDER BY ${by} LIMIT $${values.length + 1}`

/**
 * Pets from an older release have no key. A search reads only the latest of these pets; the next start adds the keys of the
 * other pets.
 */
const unkeyed = `SELECT ${petColumns} FROM pets WHERE search_key IS NULL ORDER BY search_key DESC, id DESC LIMIT ${entriesMaximum}`

/** A search key scan, with each row's key. */
const byKey = ({ status, categoryId, after }: PetSearch, keys: KeyRange): Entries => {
  const { key, id } = startOf(keys, after)
  const columns = `${petColumns}, search_key`
  const filters = [["status", status] as const, ["category_id", categoryId] as const].filter(([, value]) => value !== undefined)
  return {
    columns,
    text: `SELECT ${columns} FROM pets
      WHERE (search_key, id) ${after === undefined ? ">=" : ">"} ($1, $2) AND search_key < $3 ORDER BY search_key, id`,
    by: "search_key, id",
    values: [key, id, keys.below],
    passes: filters.map(([column], index) => `${column} = $${index + 5}`).join(" AND "),
    passing: filters.map(([, value]) => value),
  }
}

/** A scan's row, and whether it is the last row that may be read. */
interface Walked extends Placed {
  readonly isLast: boolean
}

const placed = (row: ReadonlyArray<unknown>): Walked => {
  const pet = petOfRow(row)
  return { pet, place: { id: pet.id }, isLast: row[4] === BigInt(entriesMaximum) }
}

/** A row of {@link byKey}. */
const placedByKey = (row: ReadonlyArray<unknown>): Walked => {
  const { pet } = placed(row)
  // Safe: the statement returns a key after the pet's columns.
  return { pet, place: { id: pet.id, key: row[4] as string }, isLast: row[5] === BigInt(entriesMaximum) }
}

const pageOf = (search: PetSearch, rows: ReadonlyArray<Walked>, beside: ReadonlyArray<Placed>): PetsFound => {
  const passes = passesBeside(search)
  const along = rows.filter(({ pet }) => passes(pet))
  const end = along.length > search.limit ? undefined : rows.find(({ isLast }) => isLast)?.place
  return pageOfFound(search, along, end, beside)
}

export const petSearch = ({ read }: Pick<Database, "read">): Context.Tag.Service<PetRepository>["search"] => {
  const petsOf = (rows: Rows) => rows.map(petOfRow)

  const alongEntries = (
    search: PetSearch,
    entries: Entries,
    rowOf: (row: ReadonlyArray<unknown>) => Walked,
    beside: ReadonlyArray<Placed>,
  ) =>
    Effect.gen(function* () {
      const { values, passing } = entries
      const { limit } = search
      const found = yield* read(untilFull(entries), [...values, limit + 1, ...passing])
      // One statement returns both the short page and the place to continue. With two statements, removals in between could make
      // the search skip pets.
      const rows = found.length > limit ? found : yield* read(untilEnd(entries), [...values, limit + 2, ...passing])
      return pageOf(search, rows.map(rowOf), beside)
    })

  const byName = (search: PetSearch, keys: KeyRange) =>
    Effect.gen(function* () {
      const beside = besideIndex(petsOf(yield* read(unkeyed)), search)
      const entries = byKey(search, keys)
      if (entries.passing.length > 0) return yield* alongEntries(search, entries, placedByKey, beside)
      const rows = yield* read(`${entries.text} LIMIT $4`, [...entries.values, search.limit + 1])
      return pageOf(search, rows.map(placedByKey), beside)
    })

  return (search) =>
    Effect.gen(function* () {
      const { id: ids, status, keys, limit } = search
      if (ids !== undefined) {
        const rows = yield* read(`SELECT ${petColumns} FROM pets WHERE id = ANY ($1::int8[])`, [ids])
        return searchAmong(petsOf(rows), search)
      }
      if (keys !== undefined) return yield* byName(search, keys)
      const walk = walkOf(search)
      const { text, by, values } = entriesOf(search, walk)
      if (walk.column === "category_id" && status !== undefined) {
        return yield* alongEntries(
          search,
          { columns: petColumns, text, by, values, passes: "status = $4", passing: [status] },
          placed,
          [],
        )
      }
      return foundOf(petsOf(yield* read(`${text} LIMIT $${values.length + 1}`, [...values, limit + 1])), search)
    })
}
