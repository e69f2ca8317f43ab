/**
 * The search index for pets in SQLite: `pets_by_name` and `pets_by_category`. A pet is first stored without entries, which is
 * fast. Its entries are added soon afterwards, in a large group sorted by key, because adding keys one at a time writes an index
 * page for each key. Until then, a search reads the pet separately. A search also checks for outdated entries (decision 0047).
 */
import type { DatabaseSync } from "node:sqlite"
import { setImmediate } from "node:timers/promises"
import { minInt64, searchKeyOf } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { type KeyedPet, keyed, merged, type NamedPet, unicodeVersion } from "../search-keys.js"
import { inTransaction, type Statements, statementsOn } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Writes } from "./engine/group-commit.js"
import type { WriteTable } from "./engine/transaction.js"

/** The values under which the index can contain a pet, and the pet's current name, which is `null` if the pet was removed. */
type OutdatedEntry = readonly [id: bigint, indexedName: string, indexedCategory: bigint, name: string | null]

/** An outdated entry, with the keys of both names. */
type KeyedEntry = readonly [...OutdatedEntry, indexedKey: string, key: string]

/** Writes to the index. The row of `search_index` contains the Unicode version of the keys, and the last indexed identifier. */
export const indexWrites = ({ prepare, allOrNothing }: Statements) => {
  const version = prepare("SELECT unicode_version FROM search_index WHERE only_row = 1")
  const setVersion = prepare("UPDATE search_index SET unicode_version = ?, indexed_to = -9223372036854775808 WHERE only_row = 1")
  const empty = ["pets_by_name", "pets_by_category"].map((table) => prepare(`DELETE FROM ${table}`))
  const addKey = prepare("INSERT OR IGNORE INTO pets_by_name SELECT ?, id FROM pets WHERE id = ? AND name = ?")
  const addCategories = prepare(`INSERT OR IGNORE INTO pets_by_category
    SELECT category_id, id FROM pets WHERE id >= ? AND id <= ? ORDER BY category_id, id`)
  const setIndexed = prepare(`UPDATE search_index SET indexed_to = ?
    WHERE only_row = 1 AND indexed_to = ? AND unicode_version = ?`)
  const removeKey = prepare("DELETE FROM pets_by_name WHERE search_key = ? AND pet_id = ?")
  const removeCategory = prepare("DELETE FROM pets_by_category WHERE category = ? AND pet_id = ?")
  const addCategory = prepare("INSERT OR IGNORE INTO pets_by_category SELECT category_id, id FROM pets WHERE id = ?")
  const settle = prepare(`DELETE FROM outdated_entries WHERE pet_id = ? AND name = ? AND category_id = ?
     AND (SELECT name FROM pets WHERE id = outdated_entries.pet_id) IS ?`)
  const isOf = (unicode: string): boolean => {
    // Safe: the statement lists this column, and the row always exists.
    const [found] = version.get() as unknown as readonly [string]
    return found === unicode
  }

  return {
    /** Restarts the index if its names were folded with another Unicode version. */
    beginIndex: (unicode: string): void =>
      allOrNothing(() => {
        if (isOf(unicode)) return
        for (const statement of empty) statement.run()
        setVersion.run(unicode)
      }),

    // The next three writes need no savepoint, for which SQLite copies each changed page: an early or repeated entry is correct.

    /** Adds the keys of those pets that still have the same name. */
    addKeys: (unicode: string, pets: ReadonlyArray<KeyedPet>): void => {
      if (isOf(unicode)) for (const [id, name, key] of pets) addKey.run(key, id, name)
    },

    addCategories: (range: readonly [from: bigint, to: bigint]): void => void addCategories.run(...range),

    /** Runs after the entries of the pets in this identifier range have been added, and records that the index contains them. */
    endGroup: (unicode: string, after: bigint, to: bigint): void => void setIndexed.run(to, after, unicode),

    replaceEntries: (unicode: string, entries: ReadonlyArray<KeyedEntry>): void =>
      allOrNothing(() => {
        if (!isOf(unicode)) return
        for (const [id, indexedName, indexedCategory, name, indexedKey, key] of entries) {
          removeKey.run(indexedKey, id)
          removeCategory.run(indexedCategory, id)
          if (name !== null) addKey.run(key, id, name)
          addCategory.run(id)
          settle.run(id, indexedName, indexedCategory, name)
        }
      }),
  }
}

type IndexWrites = ReturnType<typeof indexWrites>

const tick = () => Effect.promise(() => setImmediate())

/** Works on the items in parts, and lets this process's other work continue after each part. */
const inParts = <A, B, E>(
  items: ReadonlyArray<A>,
  size: number,
  work: (part: Arrays.NonEmptyReadonlyArray<A>) => Effect.Effect<B, E>,
): Effect.Effect<ReadonlyArray<B>, E> =>
  Effect.forEach(Arrays.chunksOf(items, size), (part) => Effect.zipLeft(work(part), tick()))

/** The number of pets that are read at once or written in one transaction. Other work waits meanwhile. */
const atOnce = 500

const listsAtOnce = 8

/** The number of pets whose categories one statement adds. */
const categoriesAtOnce = 2_000

/** Where a group sorted by key ends: pets, and UTF-16 code units of their names. In larger groups, more entries share a page. */
const groupMaximum = 64_000
const groupUnits = 8_000_000

const indexPets = ({ prepare, run, writes }: Pick<Database<IndexWrites>, "prepare" | "run" | "writes">) => {
  const selectState = prepare("SELECT unicode_version, indexed_to FROM search_index WHERE only_row = 1")
  const selectNew = prepare(`SELECT id, name FROM pets WHERE id > ? ORDER BY id LIMIT ${atOnce}`)
  const selectOutdated = prepare(`SELECT pet_id, outdated_entries.name, outdated_entries.category_id, pets.name
    FROM outdated_entries LEFT JOIN pets ON pets.id = pet_id WHERE pet_id > ? ORDER BY pet_id LIMIT ${atOnce}`)

  /** Safe casts: the statements list these columns. */
  const state = run(() => selectState.get() as unknown as readonly [unicode: string, indexedTo: bigint])
  const newAfter = (id: bigint) => run(() => selectNew.all(id) as unknown as ReadonlyArray<NamedPet>)
  const outdatedAfter = (id: bigint) => run(() => selectOutdated.all(id) as unknown as ReadonlyArray<OutdatedEntry>)

  /** Adds a group of new pets. Returns whether there may be more. */
  const addGroup = Effect.gen(function* () {
    const [, after] = yield* state
    const group: Array<NamedPet> = []
    let [to, units, isMore] = [after, 0, true]
    while (isMore && group.length < groupMaximum && units < groupUnits) {
      const pets = yield* newAfter(to)
      group.push(...pets)
      to = pets.at(-1)?.[0] ?? to
      units += pets.reduce((sum, [, name]) => sum + name.length, 0)
      isMore = pets.length === atOnce
      if (isMore) yield* tick()
    }
    if (group.length === 0) return false
    // In steps, because sorting an entire group at once would delay other work by a tenth of a second.
    let sorted = yield* inParts(group, atOnce, (pets) => Effect.sync(() => keyed(pets)))
    while (sorted.length > 1) sorted = yield* inParts(sorted, listsAtOnce, (lists) => Effect.sync(() => merged(lists)))
    yield* inParts(sorted.flat(), atOnce, (some) => writes.addKeys(unicodeVersion, some))
    yield* inParts(group, categoriesAtOnce, (some) => writes.addCategories([some[0][0], Arrays.lastNonEmpty(some)[0]]))
    yield* writes.endGroup(unicodeVersion, after, to)
    // Another process may index the same pets, or fold names with another Unicode version.
    return isMore && (yield* state)[1] >= to
  })

  /** Replaces the outdated entries. An entry whose name is not text stays outdated. */
  const replaceAll = Effect.gen(function* () {
    for (let after = minInt64; ; ) {
      const entries = yield* outdatedAfter(after)
      const last = entries.at(-1)
      if (last === undefined) return
      const withKeys = entries.map((entry): KeyedEntry => [...entry, searchKeyOf(entry[1]), searchKeyOf(entry[3] ?? "")])
      yield* writes.replaceEntries(unicodeVersion, withKeys)
      if (entries.length < atOnce) return
      after = last[0]
      yield* tick()
    }
  })

  return Effect.gen(function* () {
    const [unicode] = yield* state
    // A process with an older version does not change the index. Otherwise two processes would keep restarting it.
    if (Number(unicodeVersion) > Number(unicode)) yield* writes.beginIndex(unicodeVersion)
    else if (unicode !== unicodeVersion) return
    yield* Effect.repeat(addGroup, { while: (isMore) => isMore })
    yield* replaceAll
  })
}

/** Adds the missing entries of all pets before the store is used. After a failure, {@link searchIndex} adds them later. */
export const fillIndex = (connection: DatabaseSync): Effect.Effect<void> =>
  Effect.suspend(() => {
    const statements = statementsOn(connection)
    const inOwnTransaction =
      (write: WriteTable[string]) =>
      (...args: ReadonlyArray<never>) =>
        Effect.sync(() => inTransaction(connection, () => write(...args)))
    // Safe: each write keeps its arguments and its result.
    const writes = Record.map(indexWrites(statements), inOwnTransaction) as unknown as Writes<IndexWrites>
    return indexPets({ prepare: statements.prepare, run: Effect.sync, writes })
  }).pipe(Effect.catchAllCause(() => Effect.void))

/** How long to gather new pets before their entries are added, and how often to check for other processes' pets, in ms. */
const gatherMillis = 5_000
const lookMillis = 10_000

/** Gathering ends early after this number of writes. */
const gatheredWrites = 60_000

/** Counts this process's writes since entries were last added. */
export const countWrites = () => {
  const [some, enough] = [Effect.unsafeMakeLatch(), Effect.unsafeMakeLatch()]
  let count = 0
  return {
    add: (writes: number): void => {
      count += writes
      some.unsafeOpen()
      if (count >= gatheredWrites) enough.unsafeOpen()
    },
    hurry: (): void => {
      for (const latch of [some, enough]) latch.unsafeOpen()
    },
    forget: (): void => {
      count = 0
      for (const latch of [some, enough]) latch.unsafeClose()
    },
    some: some.await,
    enough: enough.await,
  }
}

/** The part of the index that searches use. */
export type SearchIndex = ReturnType<typeof searchIndex>

/** The index of a writable database. `written` counts this process's writes; none if another process writes for it. */
export const searchIndex = (database: Database<IndexWrites>, written: ReturnType<typeof countWrites>) => ({
  /** Adds the missing entries of all pets. Ignores failures, such as a full disk. */
  complete: indexPets(database).pipe(Effect.ignore, Effect.unsafeMakeSemaphore(1).withPermits(1)),
  /** Requests that the entries be added soon, because a search has read many pets without entries. */
  hurry: written.hurry,
})

/** Adds missing entries in groups, for as long as the scope lasts. */
export const keepIndexed = ({ complete }: SearchIndex, written: ReturnType<typeof countWrites>): Effect.Effect<void> =>
  complete.pipe(
    // Resets the count only now, because entries that this fiber has just written need no second check.
    Effect.zipRight(Effect.sync(written.forget)),
    Effect.zipRight(Effect.timeoutOption(written.some, lookMillis)),
    Effect.zipRight(Effect.timeoutOption(written.enough, gatherMillis)),
    Effect.forever,
    // Uses its own clock, because setting the service's clock forward by a year would cause a year's worth of checks.
    Effect.withClock(Clock.make()),
  )
