/** How PostgreSQL finds pets: along one index, the one that narrows most, reading past what other filters leave out. By name, beside it too. */
import {
  entriesMaximum,
  foundOf,
  type KeyRange,
  maxInt64,
  minInt64,
  type PetPlace,
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

/** Pets that an older release keeps have no key. Those that came last: more are only there until a start has given them one. */
const unkeyed = `SELECT ${petColumns} FROM pets WHERE search_key IS NULL ORDER BY search_key DESC, id DESC LIMIT ${entriesMaximum}`

/** Along the search keys, with the place of each row in that walk. The last row that may be read comes always: it says where to go on. */
const byKey = (search: PetSearch, keys: KeyRange): readonly [text: string, values: ReadonlyArray<unknown>] => {
  const { status, categoryId, after, limit } = search
  const { key, id } = startOf(keys, after)
  const entries = `SELECT ${petColumns}, search_key FROM pets
    WHERE (search_key, id) ${after === undefined ? ">=" : ">"} ($1, $2) AND search_key < $3 ORDER BY search_key, id`
  const values = [key, id, keys.below]
  const isFree = status === undefined && categoryId === undefined
  if (isFree) return [`${entries} LIMIT $4`, [...values, limit + 1]]
  const passes = [["status", status] as const, ["category_id", categoryId] as const]
    .filter(([, value]) => value !== undefined)
    .map(([column], index) => `${column} = $${index + 5}`)
    .join(" AND ")
  return [
    `SELECT ${petColumns}, search_key, place FROM (
       SELECT ${petColumns}, search_key, row_number() OVER (ORDER BY search_key, id) AS place FROM (${entries} LIMIT ${entriesMaximum}) AS entries
     ) AS walk WHERE ${passes} OR place = ${entriesMaximum} ORDER BY search_key, id LIMIT $4`,
    [...values, limit + 2, ...[status, categoryId].filter((value) => value !== undefined)],
  ]
}

/** A row of {@link byKey}. */
const placed = (row: ReadonlyArray<unknown>): Placed & { readonly isLast: boolean } => {
  const pet = petOfRow(row)
  // Safe: the statement answers a key behind the columns of a pet.
  return { pet, place: { id: pet.id, key: row[4] as string }, isLast: row[5] === BigInt(entriesMaximum) }
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

  const byName = (search: PetSearch, keys: KeyRange) =>
    Effect.gen(function* () {
      const beside = besideIndex(petsOf(yield* read(unkeyed)), search)
      const rows = (yield* read(...byKey(search, keys))).map(placed)
      const passes = passesBeside(search)
      const along = rows.filter(({ pet }) => passes(pet))
      const end = along.length > search.limit ? undefined : rows.find(({ isLast }) => isLast)?.place
      return pageOfFound(search, along, end, beside)
    })

  return (search) =>
    Effect.gen(function* () {
      const { ids, status, keys, order, limit } = search
      if (ids !== undefined) {
        const rows = yield* read(`SELECT ${petColumns} FROM pets WHERE id = ANY ($1::int8[])`, [ids])
        return searchAmong(petsOf(rows), search)
      }
      if (keys !== undefined) return yield* byName(search, keys)
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
