/**
 * The search index of pets in SQLite: `pets_by_name` and `pets_by_category`. A pet is first kept without entries, which is fast.
 * It gets them soon in a large group sorted by key, because a single key costs a page of the index. Until then a search reads the
 * pet separately. An entry may be outdated: a search compares it with its pet (decision 0047).
 */
import type { DatabaseSync } from "node:sqlite"
import { type StorageUnavailable, searchKeyOf } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type KeyedPet, keyed, type NamedPet, unicodeVersion } from "../search-keys.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"
import { inTransaction } from "./engine/roll-back.js"
import { allOrNothing } from "./engine/transaction.js"

/** What the index may have of a pet, and its present name: `null` if it was removed. */
type OutdatedEntry = readonly [id: bigint, indexedName: string, indexedCategory: bigint, name: string | null]

/** The same, with the keys of both names. */
type KeyedEntry = readonly [...OutdatedEntry, indexedKey: string, key: string]

/** The writes of the index. Its one row holds the Unicode version for folding names, and up to which identifier it has pets. */
export const indexWrites = (connection: DatabaseSync) => {
  const version = prepareExact(connection, "SELECT unicode_version FROM search_index WHERE only_row = 1")
  const setVersion = prepareExact(
    connection,
    "UPDATE search_index SET unicode_version = ?, indexed_to = -9223372036854775808 WHERE only_row = 1",
  )
  const empty = ["pets_by_name", "pets_by_category"].map((table) => prepareExact(connection, `DELETE FROM ${table}`))
  const addKey = prepareExact(connection, "INSERT OR IGNORE INTO pets_by_name SELECT ?, id FROM pets WHERE id = ? AND name = ?")
  const addCategories = prepareExact(
    connection,
    "INSERT OR IGNORE INTO pets_by_category SELECT category_id, id FROM pets WHERE id > ? AND id <= ? ORDER BY category_id, id",
  )
  const setIndexed = prepareExact(
    connection,
    "UPDATE search_index SET indexed_to = ? WHERE only_row = 1 AND indexed_to = ? AND unicode_version = ?",
  )
  const removeKey = prepareExact(connection, "DELETE FROM pets_by_name WHERE search_key = ? AND pet_id = ?")
  const removeCategory = prepareExact(connection, "DELETE FROM pets_by_category WHERE category = ? AND pet_id = ?")
  const addCategory = prepareExact(
    connection,
    "INSERT OR IGNORE INTO pets_by_category SELECT category_id, id FROM pets WHERE id = ?",
  )
  const settle = prepareExact(
    connection,
    `DELETE FROM outdated_entries WHERE pet_id = ? AND name = ? AND category_id = ?
     AND (SELECT name FROM pets WHERE id = outdated_entries.pet_id) IS ?`,
  )
  const isOf = (unicode: string): boolean => {
    // Safe: the statement lists this column, and the row always exists.
    const [found] = version.get() as unknown as readonly [string]
    return found === unicode
  }

  return {
    /** Begins the index again if its names were folded by another version of Unicode. */
    beginIndex: (unicode: string): void =>
      allOrNothing(connection, () => {
        if (isOf(unicode)) return
        for (const statement of empty) statement.run()
        setVersion.run(unicode)
      }),

    /** Adds the keys of pets that still have the same name. */
    addKeys: (unicode: string, pets: ReadonlyArray<KeyedPet>): void =>
      allOrNothing(connection, () => {
        if (isOf(unicode)) for (const [id, name, key] of pets) addKey.run(key, id, name)
      }),

    /** After the keys of the pets with these identifiers, adds their categories, and records that the index has them. */
    endGroup: (unicode: string, after: bigint, to: bigint): void =>
      allOrNothing(connection, () => {
        if (setIndexed.run(to, after, unicode).changes === 1n) addCategories.run(after, to)
      }),

    /** Replaces outdated entries. */
    replaceEntries: (unicode: string, entries: ReadonlyArray<KeyedEntry>): void =>
      allOrNothing(connection, () => {
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

type IndexWrites = {
  readonly [Name in keyof ReturnType<typeof indexWrites>]: (
    ...args: Parameters<ReturnType<typeof indexWrites>[Name]>
  ) => Effect.Effect<ReturnType<ReturnType<typeof indexWrites>[Name]>, unknown>
}

/** Lets other work of this process continue. */
const tick = (): Effect.Effect<void> =>
  Effect.async((resume) => {
    setImmediate(() => resume(Effect.void))
  })

/** Pets that are read, or written in one transaction, at once; other work waits meanwhile. */
const atOnce = 500

/** Pets that are sorted by key together: the more, the more entries share a page. A group ends earlier at these UTF-16 units of names. */
const groupMaximum = 32_000
const groupUnits = 8_000_000

/** Gives every pet its entries. */
const indexPets = (
  { prepare, run }: Pick<Database, "prepare" | "run">,
  { beginIndex, addKeys, endGroup, replaceEntries }: IndexWrites,
): Effect.Effect<void, unknown> => {
  const selectState = prepare("SELECT unicode_version, indexed_to FROM search_index WHERE only_row = 1")
  const selectNew = prepare(`SELECT id, name FROM pets WHERE id > ? ORDER BY id LIMIT ${atOnce}`)
  const selectOutdated = prepare(
    `SELECT pet_id, outdated_entries.name, outdated_entries.category_id, pets.name
     FROM outdated_entries LEFT JOIN pets ON pets.id = pet_id WHERE pet_id > ? ORDER BY pet_id LIMIT ${atOnce}`,
  )

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
    for (const some of Arrays.chunksOf(keyed(group), atOnce)) {
      yield* addKeys(unicodeVersion, some)
      yield* tick()
    }
    yield* endGroup(unicodeVersion, after, to)
    // Another process may index the same pets, or fold names by another version of Unicode.
    return isMore && (yield* state)[1] >= to
  })

  /** Replaces the outdated entries. Those of a name that is not text stay. */
  const replaceAll = Effect.gen(function* () {
    for (let after = -(2n ** 63n); ; ) {
      const entries = yield* outdatedAfter(after)
      const last = entries.at(-1)
      if (last === undefined) return
      const withKeys = entries.map((entry): KeyedEntry => [...entry, searchKeyOf(entry[1]), searchKeyOf(entry[3] ?? "")])
      yield* replaceEntries(unicodeVersion, withKeys)
      if (entries.length < atOnce) return
      after = last[0]
      yield* tick()
    }
  })

  return Effect.gen(function* () {
    const [unicode] = yield* state
    // A process of an older version leaves the index alone, or two would begin it in turn.
    if (Number(unicodeVersion) > Number(unicode)) yield* beginIndex(unicodeVersion)
    else if (unicode !== unicodeVersion) return
    yield* Effect.repeat(addGroup, { while: (mayGoOn) => mayGoOn })
    yield* replaceAll
  })
}

/** Gives every pet its entries before the store is used. A failure leaves them to {@link searchIndex}. */
export const fillIndex = (connection: DatabaseSync): Effect.Effect<void> =>
  Effect.suspend(() => {
    const writes = indexWrites(connection)
    const each =
      <Args extends ReadonlyArray<unknown>, A>(write: (...args: Args) => A) =>
      (...args: Args): Effect.Effect<A, unknown> =>
        Effect.try(() => inTransaction(connection, () => write(...args)))
    const database = {
      prepare: (sql: string) => prepareExact(connection, sql),
      run: <A>(work: () => A): Effect.Effect<A, StorageUnavailable> => Effect.sync(work),
    }
    return indexPets(database, {
      beginIndex: each(writes.beginIndex),
      addKeys: each(writes.addKeys),
      endGroup: each(writes.endGroup),
      replaceEntries: each(writes.replaceEntries),
    })
  }).pipe(Effect.catchAllCause(() => Effect.void))

/** How long to gather new pets until they get their entries, in ms; and how often to look for pets of other processes. */
const gatherMillis = 5_000
const lookMillis = 10_000

/** This many writes end the wait. */
const gatheredWrites = 30_000

/** Counts what a process has written since pets got their entries. */
export const countWrites = () => {
  const [some, enough] = [Effect.unsafeMakeLatch(), Effect.unsafeMakeLatch()]
  let count = 0
  return {
    add: (writes: number): void => {
      count += writes
      some.unsafeOpen()
      if (count >= gatheredWrites) enough.unsafeOpen()
    },
    /** Ends the wait now. */
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

/** What searches ask of the index. */
export interface SearchIndex {
  /** Gives every pet its entries. Fails silently, as on a full disk. */
  readonly complete: Effect.Effect<void>
  /** Gives them soon: a search has read many pets without them. */
  readonly hurry: () => void
}

/**
 * The index of a database that is written. `written` counts the writes of this process; if several share a writer, only one of
 * them has any.
 */
export const searchIndex = (
  database: Database<ReturnType<typeof indexWrites>>,
  written: ReturnType<typeof countWrites>,
): SearchIndex => ({
  complete: indexPets(database, database.writes).pipe(Effect.ignore, Effect.unsafeMakeSemaphore(1).withPermits(1)),
  hurry: written.hurry,
})

/** Gives pets their entries in groups, for as long as the scope lasts. */
export const keepIndexed = ({ complete }: SearchIndex, written: ReturnType<typeof countWrites>): Effect.Effect<void> =>
  complete.pipe(
    // Only now: entries that this fiber has just written need no second look.
    Effect.zipRight(Effect.sync(written.forget)),
    Effect.zipRight(Effect.timeoutOption(written.some, lookMillis)),
    Effect.zipRight(Effect.timeoutOption(written.enough, gatherMillis)),
    Effect.forever,
    // Its own clock: a program that sets the clock forward by a year must not run every check of that year.
    Effect.withClock(Clock.make()),
  )
