/**
 * Searches of pets in SQLite: scan the most selective index, and skip rows that other filters exclude; and pets without a search
 * key.
 */

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

/** Returns rows of a statement. */
type Read = (statement: StatementSync, ...values: ReadonlyArray<bigint | string>) => Iterable<unknown>

const entry = (row: unknown): Placed => {
  const pet = petOfRow(row)
  return { pet, place: { id: pet.id } }
}

const keyedEntry = (row: unknown): Placed => {
  const pet = petOfRow(row)
  // Safe: the statements of `byKey` return a key after the columns of a pet.
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
  // Two statements: SQLite would not seek to a pair of key and identifier.
  const columns = `${petColumns}, search_key`
  const byKey = {
    same: select("search_key = ? AND id > ?", "id", columns),
    later: select("search_key > ? AND search_key < ?", "search_key, id", columns),
  }
  // Only the latest ones: more exist only during an import or a migration.
  const unkeyed = select("search_key IS NULL", "id DESC")

  function* alongKeys(read: Read, keys: KeyRange, after: PetPlace | undefined): Generator<Placed> {
    const { key, id } = startOf(keys, after)
    for (const row of read(byKey.same, key, id)) yield keyedEntry(row)
    for (const row of read(byKey.later, key, keys.below)) yield keyedEntry(row)
  }

  /** The rows of the index to scan, from the place on. The index of categories has no pets without a key. */
  const rowsOf = (search: PetSearch, hasKeys: boolean): Iterable<Placed> => {
    const { status, categoryId, keys, order, after, limit } = search
    const filters = [status, categoryId, keys].filter((filter) => filter !== undefined).length
    // If every row matches, reading a page at once costs a third of reading row by row.
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
    // Another program has added so many pets that there may be more: then each page scans a part of the identifiers for the
    // category.
    const isPart = pets.length === entriesMaximum && search.keys === undefined
    const walk = alongIndex(rowsOf(search, !isPart), search)
    return pageOfFound(search, walk.along, walk.end, isPart ? [] : besideIndex(pets, search))
  }

  return (search) => run(() => find(search))
}
