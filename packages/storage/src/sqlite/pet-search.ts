/**
 * A search looks at the next pets in the order of its most selective filter, and then, by words, at the pets that `pet_words`
 * finds. So a frequent word costs by the page, and a rare one by its matches. Then it adds the pets that wait for the indexes.
 */
import type { StatementSync } from "node:sqlite"
import { foundOf, maxInt64, minInt64, type Pet, type PetSearch, type PetsFound, readMaximum, searchAmong } from "@petstore/core"
import { petColumns, petOfRow } from "../rows.js"
import { longestOf } from "../words-text.js"
import { limited } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { lastIndexed } from "./pet-words.js"

/** Conditions, and the values of their parameters. */
interface Conditions {
  readonly texts: ReadonlyArray<string>
  readonly values: ReadonlyArray<string | bigint | null>
}

const both = (one: Conditions, other: Conditions): Conditions => ({
  texts: [...one.texts, ...other.texts],
  values: [...one.values, ...other.values],
})

/** The entries that a search reads, in the order of `id`. */
interface Entries {
  readonly tables: string
  readonly id: string
  readonly are: Conditions
  /** What else the pets of the entries must satisfy. */
  readonly rest: Conditions
}

const none: Conditions = { texts: [], values: [] }

const filterOf = (text: string, value: string | bigint | null | undefined): Conditions =>
  value === undefined ? none : { texts: [text], values: [value] }

const named = (column: string, words: ReadonlyArray<string>): Conditions =>
  words.map((word) => filterOf(`instr(${column}, ?) > 0`, ` ${word}`)).reduce(both, none)

/** The pets of a category, with a status, or all pets: each has an index in the order of identifiers. */
const walked = ({ status, categoryId, words }: PetSearch): Entries => {
  const [ofCategory, byStatus] = [filterOf("category_id = ?", categoryId), filterOf("status IS ?", status)]
  const byCategory = both(ofCategory, { texts: ["waiting_words = ''"], values: [] })
  return {
    tables: words === undefined ? "pets" : "pets CROSS JOIN pet_words_content ON docid = id",
    id: "id",
    are: categoryId === undefined ? byStatus : byCategory,
    rest: both(categoryId === undefined ? none : byStatus, named("' ' || c0words", words ?? [])),
  }
}

const indexed = ({ status, categoryId }: PetSearch, words: ReadonlyArray<string>): Entries => {
  const searched = longestOf(words)
  const others = words.filter((word) => !searched.includes(word))
  return {
    tables: "pet_words CROSS JOIN pets ON id = docid",
    id: "docid",
    are: filterOf("words MATCH ?", searched.map((word) => `${word}*`).join(" ")),
    rest: [filterOf("category_id = ?", categoryId), filterOf("status IS ?", status), named("' ' || words", others)].reduce(both),
  }
}

/** The new pets that wait for the indexes. */
const waiting = ({ status, categoryId, words }: PetSearch): Entries => ({
  tables: "pets",
  id: "id",
  are: none,
  rest: [
    { texts: ["waiting_words <> ''"], values: [] },
    filterOf("category_id = ?", categoryId),
    filterOf("status IS ?", status),
    named("waiting_words", words ?? []),
  ].reduce(both),
})

/** How many pets to look at in one step. Most pages are full after the first one. */
const stepsAlone = [250, 1_750, readMaximum - 2_000]
const stepsBeforeIndex = stepsAlone.slice(0, 2)

export const petSearch = ({ prepare, run, together }: Database) => {
  const selectOne = prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const selectLast = prepare(lastIndexed)
  /** Few: the number of words and the filters make the difference. */
  const statements = new Map<string, StatementSync>()
  const statement = (text: string): StatementSync => {
    const known = statements.get(text) ?? prepare(text)
    statements.set(text, known)
    return known
  }

  const select = (columns: string, { tables, id }: Entries, conditions: Conditions, { order }: PetSearch, limit: string) =>
    statement(`SELECT ${columns} FROM ${tables} WHERE ${conditions.texts.join(" AND ")} ORDER BY ${id} ${order} ${limit}`)

  const after = ({ id }: Entries, { order }: PetSearch, place: bigint) =>
    filterOf(order === "asc" ? `${id} > ?` : `${id} < ?`, place)

  /** The identifier of the entry `count` places after this one; `undefined` if there are fewer. */
  const endAfter = (entries: Entries, search: PetSearch, place: bigint, count: number): bigint | undefined => {
    const tables = entries.id === "docid" ? "pet_words" : "pets"
    const conditions = both(entries.are, after(entries, search, place))
    const row = select(entries.id, { ...entries, tables }, conditions, search, "LIMIT 1 OFFSET ? + 0").get(
      ...conditions.values,
      count - 1,
    )
    // Safe: the statement lists this column.
    return (row as unknown as readonly [bigint] | undefined)?.[0]
  }

  const petsBetween = (entries: Entries, search: PetSearch, place: bigint, end: bigint | undefined, count: number) => {
    const { id } = entries
    const upTo = filterOf(search.order === "asc" ? `${id} <= ?` : `${id} >= ?`, end)
    const conditions = [entries.are, after(entries, search, place), upTo, entries.rest].reduce(both)
    return select(petColumns, entries, conditions, search, limited)
      .all(...conditions.values, count)
      .map(petOfRow)
  }

  const findIndexed = (search: PetSearch): PetsFound => {
    const { id: ids, words, order, limit } = search
    if (ids !== undefined)
      return searchAmong(
        ids.flatMap((id) => selectOne.all(id).map(petOfRow)),
        search,
      )
    const start = search.after ?? (order === "asc" ? minInt64 : maxInt64)
    const walk = walked(search)
    if (walk.rest.texts.length === 0) return foundOf(petsBetween(walk, search, start, undefined, limit + 1), search)

    const found: Array<Pet> = []
    let place = start
    /** Adds the pets among the next entries. Returns whether the search is done. */
    const look = (entries: Entries, count: number): boolean => {
      const end = endAfter(entries, search, place, count)
      found.push(...petsBetween(entries, search, place, end, limit + 1 - found.length))
      if (end === undefined || found.length > limit) return true
      place = end
      return false
    }
    const steps = words === undefined ? stepsAlone : stepsBeforeIndex
    if (steps.some((count) => look(walk, count))) return foundOf(found, search)
    if (words !== undefined) {
      const matches = indexed(search, words)
      const isAlone = matches.rest.texts.length === 0
      if (isAlone) found.push(...petsBetween(matches, search, place, undefined, limit + 1 - found.length))
      if (isAlone || look(matches, readMaximum - 2_000)) return foundOf(found, search)
    }
    return { pets: found, next: place }
  }

  /** Adds the waiting pets up to where the search of the indexes ended. */
  const withWaiting = (search: PetSearch, { pets, next }: PetsFound): PetsFound => {
    const { order, limit } = search
    // Safe: the statement returns one integer.
    const [last] = selectLast.get() as unknown as readonly [bigint]
    const start = search.after ?? (order === "asc" ? last : maxInt64)
    const [from, to] =
      order === "asc" ? [start > last ? start : last, next] : [start, next !== undefined && next > last ? next : last]
    const added = petsBetween(waiting(search), search, from, to, limit + 1)
    const sign = order === "asc" ? 1 : -1
    const all = [...pets, ...added].toSorted((one, other) => (one.id < other.id ? -sign : sign))
    return all.length > limit ? foundOf(all, search) : { pets: all, next }
  }

  const find = (search: PetSearch): PetsFound => {
    const found = findIndexed(search)
    const hasIndex = search.id === undefined && (search.categoryId !== undefined || search.words !== undefined)
    return hasIndex ? withWaiting(search, found) : found
  }

  // In one snapshot. Otherwise, a pet that is removed between two reads would move the place where the search continues.
  return (search: PetSearch) => run(() => together(() => find(search)))
}
