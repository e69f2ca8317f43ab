/** How PostgreSQL finds pets: along one index, the one that narrows most, reading past what other filters leave out. */
import {
  entriesMaximum,
  foundOf,
  maxInt64,
  minInt64,
  type PetPlace,
  type PetRepository,
  type PetSearch,
  type PetsFound,
  searchAmong,
} from "@petstore/core"
import { type Context, Effect } from "effect"
import { petColumns, petOfRow } from "../rows.js"
import type { Rows } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

/** A part of an index: its first column, if the search names a value for it, and the identifier. */
interface Walk {
  readonly column: "category_id" | "status" | undefined
  readonly value: bigint | string | undefined
}

const walkOf = ({ categoryId, status }: PetSearch): Walk =>
  categoryId !== undefined
    ? { column: "category_id", value: categoryId }
    : { column: status === undefined ? undefined : "status", value: status }

/** From a search to the rows along an index, from its place on: the end of a statement behind its columns, and its values. */
const entriesOf = (search: PetSearch, { column, value }: Walk): readonly [text: string, values: ReadonlyArray<unknown>] => {
  const { order, after } = search
  const isUp = order === "asc"
  // No identifier is excluded on the first page: some engines use the whole range.
  const follows = `${isUp ? ">" : "<"}${after === undefined ? "=" : ""}`
  const from = after?.id ?? (isUp ? minInt64 : maxInt64)
  if (column === undefined) return [`FROM pets WHERE id ${follows} $1 ORDER BY id ${order} LIMIT $2`, [from]]
  // As in the list: only the index on both columns gives this order.
  const text = `FROM pets WHERE (${column}, id) ${follows} ($1, $2) AND ${column} ${isUp ? "<=" : ">="} $1 ORDER BY ${column} ${order}, id ${order} LIMIT $3`
  return [text, [value, from]]
}

/** Makes `PetRepository.search` for a database. */
export const petSearch = ({ read }: Pick<Database, "read">): Context.Tag.Service<PetRepository>["search"] => {
  const petsOf = (rows: Rows) => rows.map(petOfRow)

  /** Where the entries that a search may read end, if there may be more. */
  const endOf = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(read(`SELECT id ${text}`, [...values, entriesMaximum]), (entries): PetPlace | undefined =>
      // Safe: the column is an identifier.
      entries.length < entriesMaximum ? undefined : { id: entries.at(-1)?.[0] as bigint },
    )

  return (search) =>
    Effect.gen(function* () {
      const { ids, status, order, limit } = search
      if (ids !== undefined) {
        const rows = yield* read(`SELECT ${petColumns} FROM pets WHERE id = ANY ($1::int8[])`, [ids])
        return searchAmong(petsOf(rows), search)
      }
      const walk = walkOf(search)
      const [text, values] = entriesOf(search, walk)
      if (walk.column !== "category_id" || status === undefined) {
        return foundOf(petsOf(yield* read(`SELECT ${petColumns} ${text}`, [...values, limit + 1])), search)
      }
      // In the order of the inner one, which the server then reads no further than it needs.
      const found = yield* read(
        `SELECT ${petColumns} FROM (SELECT ${petColumns} ${text}) AS entries WHERE status = $4 ORDER BY category_id ${order}, id ${order} LIMIT $5`,
        [...values, entriesMaximum, status, limit + 1],
      )
      if (found.length > limit) return foundOf(petsOf(found), search)
      const end = yield* endOf(text, values)
      return { pets: petsOf(found), ...(end !== undefined && { next: end }) } satisfies PetsFound
    })
}
