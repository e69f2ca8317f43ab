/**
 * A search looks at the next pets in the order of its most selective filter, and skips excluded ones. If that does not fill a page
 * by words, it asks the index of words; the pets with frequent words are again found in order. So no page reads more than
 * `readMaximum` pets at a time.
 */
import { foundOf, type PetSearch, readMaximum, searchAmong } from "@petstore/core"
import * as Effect from "effect/Effect"
import { petColumns, petOfRow } from "../rows.js"
import { longestOf } from "../words-text.js"
import type { Rows } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"
import { indexRange } from "./pages.js"

/** A part of a statement, with the values of its parameters. */
type Part = (parameter: (value: unknown) => string) => string

const statementOf = (part: Part): readonly [text: string, values: ReadonlyArray<unknown>] => {
  const values: Array<unknown> = []
  const text = part((value) => `$${values.push(value)}`)
  return [text, values]
}

const isEqual =
  (column: "status" | "category_id", value: string | bigint | null | undefined): Part =>
  (parameter) => {
    if (value === undefined) return anyPet(parameter)
    return value === null ? `${column} IS NULL` : `${column} = ${parameter(value)}`
  }

const anyPet: Part = () => "true"

const named =
  (words: ReadonlyArray<string>): Part =>
  (parameter) =>
    `' ' || words LIKE ALL (${parameter(words.map((word) => `% ${word}%`))}::text[])`

/** How many pets to look at before the index of words: this fills most pages. */
const lookedAt = 2_000

/**
 * The planner does not see this limit, so it expects a tenth of the entries and reads them in order. Without statistics, as
 * after an import, it would expect fewer entries than the limit, and sort all of them. Citus refuses a subquery here.
 */
const atMost = (layout: Layout, count: number): string => (layout === "spread" ? `${count}` : `(SELECT ${count})`)

/** An index scan, and the part of the filters that its pets need not match. */
const scanOf = ({ status, categoryId, words, order, after }: PetSearch) => {
  const range =
    categoryId === undefined ? indexRange("status", status, order, after) : indexRange("category_id", categoryId, order, after)
  const isNamed = words === undefined ? anyPet : named(words)
  const isStatus = isEqual("status", categoryId === undefined ? undefined : status)
  const passes: Part = (parameter) => `${isStatus(parameter)} AND ${isNamed(parameter)}`
  const entries =
    (columns: string, limit: string): Part =>
    (parameter) =>
      `SELECT ${columns} FROM pets WHERE ${range.where(parameter)} ORDER BY ${range.by} LIMIT ${limit}`
  return { by: range.by, entries, passes }
}

type Scan = ReturnType<typeof scanOf>

/** Stops when the page is full, which happens early if many pets match. */
const untilFull =
  ({ by, entries, passes }: Scan, entryMaximum: string, limit: number): Part =>
  (parameter) =>
    `SELECT ${petColumns} FROM (${entries(`${petColumns}, words`, entryMaximum)(parameter)}) AS entries WHERE ${passes(parameter)} ORDER BY ${by} LIMIT ${parameter(limit)}`

/** Always returns the last entry, from the same snapshot, because it determines where to continue. */
const untilEnd =
  ({ by, entries, passes }: Scan, entryMaximum: string, limit: number): Part =>
  (parameter) =>
    `SELECT ${petColumns}, passes::int::int8, place FROM (
       SELECT ${petColumns}, ${passes(parameter)} AS passes, row_number() OVER (ORDER BY ${by}) AS place
       FROM (${entries(`${petColumns}, words`, entryMaximum)(parameter)}) AS entries
     ) AS walk WHERE passes OR place = ${readMaximum} ORDER BY place LIMIT ${parameter(limit)}`

/**
 * The pets that the index finds, if they are not too many, which the last column shows. The planner cannot see the words, so it
 * does not expect them to be frequent and to be found sooner without the index.
 */
const byIndex =
  ({ status, categoryId, order, after }: PetSearch, words: ReadonlyArray<string>, limit: number): Part =>
  (parameter) => {
    const searched = longestOf(words)
    const query = searched.map((word) => `'${word}':*`).join(" & ")
    const isNamed = searched.length === words.length ? anyPet : named(words)
    const follows = after === undefined ? "true" : `id ${order === "asc" ? ">" : "<"} ${parameter(after)}`
    const filters = `${follows} AND ${isEqual("category_id", categoryId)(parameter)} AND ${isEqual("status", status)(parameter)} AND ${isNamed(parameter)}`
    return `WITH matching AS MATERIALIZED (
        SELECT ${petColumns}, words FROM pets
        WHERE array_to_tsvector(string_to_array(words, ' ')) @@ (SELECT ${parameter(query)}::tsquery) LIMIT ${readMaximum + 1}
      ), page AS (SELECT * FROM matching WHERE ${filters} ORDER BY id ${order} LIMIT ${parameter(limit)})
      SELECT ${petColumns}, matches FROM (SELECT sum(1) AS matches FROM matching) AS counted LEFT JOIN page ON true ORDER BY id ${order}`
  }

export const petSearch = ({ layout, read }: Database) => {
  const all = atMost(layout, readMaximum)
  const ask = (part: Part) => read(...statementOf(part))

  return (search: PetSearch) =>
    Effect.gen(function* () {
      const { id: ids, status, categoryId, words, limit } = search
      if (ids !== undefined) {
        const rows = yield* read(`SELECT ${petColumns} FROM pets WHERE id = ANY ($1::int8[])`, [ids])
        return searchAmong(rows.map(petOfRow), search)
      }
      const found = (rows: Rows) => foundOf(rows.map(petOfRow), search)
      const scan = scanOf(search)
      const isAlone = words === undefined && (status === undefined || categoryId === undefined)
      if (isAlone) return found(yield* ask(scan.entries(petColumns, `${limit + 1}`)))
      const first = yield* ask(untilFull(scan, words === undefined ? all : atMost(layout, lookedAt), limit + 1))
      if (first.length > limit) return found(first)
      if (words !== undefined) {
        const matching = yield* ask(byIndex(search, words, limit + 1))
        const [row] = matching
        if (row !== undefined && Number(row.at(-1)) <= readMaximum) return found(matching.filter(([id]) => id !== null))
      }
      // One statement returns the page and the place to continue, so removals in between cannot make the search skip pets.
      const rows = yield* ask(untilEnd(scan, all, limit + 2))
      const passing = rows.filter(([, , , , passes]) => passes === 1n)
      const end = rows.at(-1)
      const { pets, next } = found(passing)
      return next === undefined && end?.at(-1) === BigInt(readMaximum) ? { pets, next: petOfRow(end).id } : { pets, next }
    })
}
