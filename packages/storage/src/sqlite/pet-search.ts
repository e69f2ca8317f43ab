/** How SQLite finds pets: along one index, the one that narrows most, reading past what other filters leave out; and beside it. */

import type { StatementSync } from "node:sqlite"
import {
  entriesMaximum,
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
import { alongIndex, besideIndex, type Placed, pageOfFound, startOf } from "../found-pets.js"
import { petColumns, petOfRow } from "../rows.js"
import type { Database } from "./engine/database.js"
import { limited } from "./limit.js"

/** Gives rows of a statement. */
type Read = (statement: StatementSync, ...values: ReadonlyArray<bigint | string>) => Iterable<unknown>

const entry = (row: unknown): Placed => {
  const pet = petOfRow(row)
  return { pet, place: { id: pet.id } }
}

const keyedEntry = (row: unknown): Placed => {
  const pet = petOfRow(row)
  // Safe: the statements of `byKey` answer a key behind the columns of a pet.
  return { pet, place: { id: pet.id, key: (row as ReadonlyArray<unknown>)[4] as string } }
}

/** Makes `PetRepository.search` for a database. */
export const petSearch = ({ prepare, run }: Pick<Database, "prepare" | "run">): Context.Tag.Service<PetRepository>["search"] => {
  const selectOne = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const select = (condition: string, order: string, columns = petColumns) =>
    prepare(`SELECT ${columns} FROM pets WHERE ${condition} ORDER BY ${order} ${limited}`)
  const along = (condition: string) => ({
    asc: select(`${condition} id > ?`, "id"),
    desc: select(`${condition} id < ?`, "id DESC"),
  })
  const byId = along("")
  const byStatus = along("status = ? AND")
  const byCategory = along("category_id = ? AND search_key IS NOT NULL AND")
  // Two statements: SQLite would not go straight to a pair of key and identifier.
  const columns = `${petColumns}, search_key`
  const byKey = {
    same: select("search_key = ? AND id > ?", "id", columns),
    later: select("search_key > ? AND search_key < ?", "search_key, id", columns),
  }
  // Those that came last: more are only there while an import or a migration goes on.
  const unkeyed = select("search_key IS NULL", "id DESC")

  function* alongKeys(read: Read, keys: KeyRange, after: PetPlace | undefined): Generator<Placed> {
    const { key, id } = startOf(keys, after)
    for (const row of read(byKey.same, key, id)) yield keyedEntry(row)
    for (const row of read(byKey.later, key, keys.below)) yield keyedEntry(row)
  }

  /** The rows of the index to go along, from the place on. A pet without a key is not in that of categories. */
  const rowsOf = (search: PetSearch, hasKeys: boolean): Iterable<Placed> => {
    const { status, categoryId, keys, order, after, limit } = search
    const filters = [status, categoryId, keys].filter((filter) => filter !== undefined).length
    // Where every row of the index is wanted, reading a page at once costs a third of going from row to row.
    const isWhole = hasKeys && filters <= 1
    const read: Read = (statement, ...values) =>
      isWhole ? statement.all(...values, limit + 1) : statement.iterate(...values, entriesMaximum)
    const from = after?.id ?? (order === "asc" ? minInt64 : maxInt64)
    if (keys !== undefined) return alongKeys(read, keys, after)
    const rows =
      categoryId !== undefined && hasKeys
        ? read(byCategory[order], categoryId, from)
        : status === undefined
          ? read(byId[order], from)
          : read(byStatus[order], status, from)
    return Iterator.from(rows).map(entry)
  }

  const find = (search: PetSearch): PetsFound => {
    if (search.ids !== undefined) {
      return searchAmong(
        search.ids.flatMap((id) => {
          const row = selectOne.get(id)
          return row === undefined ? [] : [petOfRow(row)]
        }),
        search,
      )
    }
    const needsKey = search.keys !== undefined || search.categoryId !== undefined
    const pets = needsKey ? unkeyed.all(entriesMaximum).map(petOfRow) : []
    // Another program has added so many that there may be more: a category is then found along the identifiers, a part of them for each page.
    const isPart = pets.length === entriesMaximum && search.keys === undefined
    const walk = alongIndex(rowsOf(search, !isPart), search)
    return pageOfFound(search, walk.along, walk.end, isPart ? [] : besideIndex(pets, search))
  }

  return (search) => run(() => find(search))
}
