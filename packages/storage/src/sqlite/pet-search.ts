/** A search scans one index, usually the most selective, and skips excluded rows. It also reads pets without a current entry. */
import type { StatementSync } from "node:sqlite"
import {
  entriesMaximum,
  maxInt64,
  minInt64,
  type PetPlace,
  type PetSearch,
  StorageUnavailable,
  searchAmong,
  searchKeyOf,
} from "@petstore/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { besideIndex, type Placed, pageOfFound, passesBeside, placedOfRow, startOf } from "../found-pets.js"
import { petColumns, petOfRow } from "../rows.js"
import { limited } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { SearchIndex } from "./search-index.js"

type Read = (after: PetPlace, rows: number) => ReadonlyArray<Placed>

/** Whether an entry still has its pet's key. The pet may have been renamed. */
const isCurrent = ({ pet, place: { key } }: Placed): boolean => key === undefined || key === searchKeyOf(pet.name)

/** The number of rows that are read at once if other filters can exclude some of them. */
const rowsAtOnce = 250

function* scan(read: Read, from: PetPlace, rows: number): Generator<Placed> {
  for (let after = from; ; ) {
    const some = read(after, rows)
    yield* some
    const last = some.at(-1)
    if (last === undefined || some.length < rows) return
    after = last.place
  }
}

/** Reads rows in index order until a page is full or the search has reached its row limit, which is the `end`. */
const alongIndex = (rows: Iterable<Placed>, search: PetSearch) => {
  const passes = passesBeside(search)
  const along: Array<Placed> = []
  let read = 0
  for (const row of rows) {
    read += 1
    if (isCurrent(row) && passes(row.pet) && along.push(row) > search.limit) break
    if (read === entriesMaximum) return { along, end: row.place }
  }
  return { along, end: undefined }
}

/** A search that reads more than this number of pets without entries requests the entries. */
const hurriedPets = 1_000

const notIndexed = "Too many pets have just been added or renamed to search by name now. Try again in a few seconds."

/** How long a search waits for missing entries if it may not read all the pets without entries, in ms. */
const completeMillis = 1_000

export const petSearch = ({ prepare, run, together }: Database, index: SearchIndex) => {
  const selectOne = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const along = (tables: string, condition: string, id: string) => {
    const select = `SELECT ${petColumns} FROM ${tables} WHERE ${condition}`
    return {
      asc: prepare(`${select} ${id} > ? ORDER BY ${id} ${limited}`),
      desc: prepare(`${select} ${id} < ? ORDER BY ${id} DESC ${limited}`),
    }
  }
  const byId = along("pets", "", "id")
  const byStatus = along("pets", "status = ? AND", "id")
  const byCategory = along("pets_by_category CROSS JOIN pets ON id = pet_id", "category = ? AND", "pet_id")
  // Two statements, because SQLite would not seek to a pair of key and identifier.
  const keyed = `SELECT ${petColumns}, search_key FROM pets_by_name CROSS JOIN pets ON id = pet_id WHERE search_key`
  const byKey = {
    same: prepare(`${keyed} = ? AND pet_id > ? ORDER BY pet_id ${limited}`),
    later: prepare(`${keyed} > ? AND search_key < ? ORDER BY search_key, pet_id ${limited}`),
  }
  const indexedTo = "(SELECT indexed_to FROM search_index WHERE only_row = 1)"
  // Reads only the latest of these pets. There are more if the index cannot be written.
  const newest = prepare(`SELECT ${petColumns} FROM pets WHERE id > ${indexedTo} ORDER BY id DESC ${limited}`)
  const outdated = prepare(
    `SELECT ${petColumns} FROM pets WHERE id IN (SELECT pet_id FROM outdated_entries) AND id <= ${indexedTo} ${limited}`,
  )

  const readAlong =
    (statement: StatementSync, ...values: ReadonlyArray<bigint | string>): Read =>
    ({ id }, rows) =>
      statement.all(...values, id, rows).map(placedOfRow)

  const rowsOf = (search: PetSearch, isIndexed: boolean): Iterable<Placed> => {
    const { status, categoryId, keys, order, after, limit } = search
    const filters = [status, categoryId, keys].filter((filter) => filter !== undefined).length
    const rows = isIndexed && filters <= 1 ? limit + 1 : rowsAtOnce
    const from = after ?? { id: order === "asc" ? minInt64 : maxInt64 }
    if (keys !== undefined) {
      const read: Read = ({ key = keys.from, id }, most) => {
        const same = byKey.same.all(key, id, most)
        return [...same, ...byKey.later.all(key, keys.below, most - same.length)].map(placedOfRow)
      }
      return scan(read, startOf(keys, after), rows)
    }
    if (categoryId !== undefined && isIndexed) return scan(readAlong(byCategory[order], categoryId), from, rows)
    return scan(status === undefined ? readAlong(byId[order]) : readAlong(byStatus[order], status), from, rows)
  }

  /** `isPart` is true if there are more pets without entries than a search reads. */
  const find = (search: PetSearch) => {
    const { id: ids, keys, categoryId } = search
    if (ids !== undefined) {
      const pets = ids.flatMap((id) => selectOne.all(id).map(petOfRow))
      return { found: searchAmong(pets, search), isPart: false }
    }
    const beside =
      keys === undefined && categoryId === undefined
        ? []
        : [newest, outdated].flatMap((one) => one.all(entriesMaximum).map(petOfRow))
    if (beside.length > hurriedPets) index.hurry()
    const isPart = beside.length >= entriesMaximum
    // Without the category index, every page scans part of the identifiers for the category.
    const scansAll = isPart && keys === undefined
    const walk = alongIndex(rowsOf(search, !scansAll), search)
    return { found: pageOfFound(search, walk.along, walk.end, scansAll ? [] : besideIndex(beside, search)), isPart }
  }

  /** Reads in one snapshot. Otherwise a pet that is renamed between two reads could be in neither. */
  const findTogether = (search: PetSearch) =>
    search.keys === undefined && search.categoryId === undefined ? find(search) : together(() => find(search))

  // Uses its own clock, because a program may have set the service's clock.
  const complete = index.complete.pipe(Effect.timeoutOption(completeMillis), Effect.withClock(Clock.make()))

  return (search: PetSearch) => {
    const once = run(() => findTogether(search))
    const twice = Effect.flatMap(Effect.zipRight(complete, once), ({ found, isPart }) =>
      isPart && search.keys !== undefined
        ? new StorageUnavailable({ reason: notIndexed, cause: undefined })
        : Effect.succeed(found),
    )
    return Effect.flatMap(once, ({ found, isPart }) => (isPart ? twice : Effect.succeed(found)))
  }
}
