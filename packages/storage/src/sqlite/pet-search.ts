/** How SQLite finds pets: along one index, the one that narrows most, reading past what other filters leave out. */
import type { StatementSync } from "node:sqlite"
import {
  entriesMaximum,
  foundOf,
  isWanted,
  maxInt64,
  minInt64,
  type Pet,
  type PetRepository,
  type PetSearch,
  type PetsFound,
  searchAmong,
} from "@petstore/core"
import type { Context } from "effect"
import { petColumns, petOfRow } from "../rows.js"
import type { Database } from "./engine/database.js"

/** Makes `PetRepository.search` for a database. */
export const petSearch = ({ prepare, run }: Pick<Database, "prepare" | "run">): Context.Tag.Service<PetRepository>["search"] => {
  const selectOne = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const select = (condition: string, order: string): StatementSync =>
    prepare(`SELECT ${petColumns} FROM pets WHERE ${condition} ORDER BY ${order} LIMIT ${entriesMaximum}`)
  const along = (condition: string) => ({
    asc: select(`${condition} id > ?`, "id"),
    desc: select(`${condition} id < ?`, "id DESC"),
  })
  const byId = along("")
  const byStatus = along("status = ? AND")
  const byCategory = along("category_id = ? AND")

  /** The rows of the index to go along, from the place on. */
  const rowsOf = ({ status, categoryId, order, after }: PetSearch) => {
    const from = after?.id ?? (order === "asc" ? minInt64 : maxInt64)
    if (categoryId !== undefined) return byCategory[order].iterate(categoryId, from)
    return status === undefined ? byId[order].iterate(from) : byStatus[order].iterate(status, from)
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
    const passes = isWanted(search)
    const found: Array<Pet> = []
    let read = 0
    let last: Pet | undefined
    for (const row of rowsOf(search)) {
      read += 1
      last = petOfRow(row)
      if (passes(last) && found.push(last) > search.limit) return foundOf(found, search)
    }
    return last === undefined || read < entriesMaximum ? { pets: found } : { pets: found, next: { id: last.id } }
  }

  return (search) => run(() => find(search))
}
