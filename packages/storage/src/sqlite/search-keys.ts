/**
 * The search keys of pets in SQLite. A pet is first kept without one, which is fast, and gets it soon in a batch sorted by key,
 * because a key written alone rewrites a page of the index. Until then a search reads the pet separately.
 */
import type { DatabaseSync } from "node:sqlite"
import { maxInt64, type StorageUnavailable } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type KeyedPet, keyed, keyedAtOnce, type NamedPet, unicodeVersion } from "../search-keys.js"
import type { Database } from "./engine/database.js"
import { prepareExact } from "./engine/prepare-exact.js"
import { inTransaction } from "./engine/roll-back.js"
import { allOrNothing } from "./engine/transaction.js"

/**
 * The writes of search keys. One row holds the Unicode version for folding names, and the identifier up to which keys were
 * checked for it.
 */
export const keyWrites = (connection: DatabaseSync) => {
  const version = prepareExact(connection, "SELECT unicode_version FROM search_keys WHERE only_row = 1")
  const setVersion = prepareExact(
    connection,
    `INSERT INTO search_keys (only_row, unicode_version, checked_to) VALUES (1, ?, 9223372036854775807)
     ON CONFLICT (only_row) DO UPDATE SET unicode_version = excluded.unicode_version, checked_to = -9223372036854775808`,
  )
  const setChecked = prepareExact(connection, "UPDATE search_keys SET checked_to = ? WHERE only_row = 1 AND unicode_version = ?")
  const set = prepareExact(connection, "UPDATE pets SET search_key = ? WHERE id = ? AND name = ? AND search_key IS NULL")
  const unset = prepareExact(connection, "UPDATE pets SET search_key = NULL WHERE id = ?")
  const isOf = (unicode: string): boolean => {
    // Safe: the row is an array of one text, if there is one.
    const row = version.get() as unknown as readonly [string] | undefined
    return row?.[0] === unicode
  }

  return {
    /** Sets the version of Unicode for keys. When it changes, every key must be checked. */
    setUnicodeVersion: (unicode: string): void => {
      if (!isOf(unicode)) setVersion.run(unicode)
    },

    /** Removes the keys of some pets, and records how far keys were checked. */
    checkKeys: (unicode: string, wrong: ReadonlyArray<bigint>, to: bigint): void =>
      allOrNothing(connection, () => {
        for (const id of wrong) unset.run(id)
        setChecked.run(to, unicode)
      }),

    /** Gives pets that still have the same name their keys, and returns how many. */
    setKeys: (unicode: string, pets: ReadonlyArray<KeyedPet>): number =>
      allOrNothing(connection, () =>
        isOf(unicode) ? pets.reduce((sum, [id, name, key]) => sum + Number(set.run(key, id, name).changes), 0) : 0,
      ),
  }
}

type KeyWrites = {
  readonly [Name in keyof ReturnType<typeof keyWrites>]: (
    ...args: Parameters<ReturnType<typeof keyWrites>[Name]>
  ) => Effect.Effect<ReturnType<ReturnType<typeof keyWrites>[Name]>, unknown>
}

/** Lets other work of this process continue. */
const tick = (): Effect.Effect<void> =>
  Effect.async((resume) => {
    setImmediate(() => resume(Effect.void))
  })

/**
 * How many pets one transaction writes while other writers wait. With fewer, more transactions write the same page of the index.
 */
const writtenAtOnce = 1_000

/** Gives every pet that has no key its key. */
const keyPets = (
  { prepare, run }: Pick<Database, "prepare" | "run">,
  { setUnicodeVersion, checkKeys, setKeys }: KeyWrites,
): Effect.Effect<void, unknown> => {
  const selectVersion = prepare("SELECT unicode_version, checked_to FROM search_keys WHERE only_row = 1")
  const selectKeys = prepare(`SELECT id, name, search_key FROM pets WHERE id > ? ORDER BY id LIMIT ${keyedAtOnce}`)
  const selectUnkeyed = prepare(`SELECT id, name FROM pets WHERE search_key IS NULL ORDER BY id DESC LIMIT ${keyedAtOnce}`)

  /** Safe casts: the statements list these columns. */
  const checkedTo = run(() => selectVersion.get() as unknown as readonly [string, bigint] | undefined)
  const unkeyed = run(() => selectUnkeyed.all() as unknown as ReadonlyArray<NamedPet>)

  const check = Effect.gen(function* () {
    if ((yield* checkedTo)?.[0] !== unicodeVersion) yield* setUnicodeVersion(unicodeVersion)
    for (;;) {
      const [unicode, from] = (yield* checkedTo) ?? ["", maxInt64]
      if (unicode !== unicodeVersion || from === maxInt64) return
      const rows = yield* run(() => selectKeys.all(from) as unknown as Array<readonly [bigint, string, string | null]>)
      const keys = new Map(keyed(rows.map(([id, name]) => [id, name])).map(([id, , key]) => [id, key]))
      const wrong = rows.flatMap(([id, , key]) => (key === null || key === keys.get(id) ? [] : [id]))
      yield* checkKeys(unicodeVersion, wrong, rows.length < keyedAtOnce ? maxInt64 : (rows.at(-1)?.[0] ?? maxInt64))
      yield* tick()
    }
  })

  /**
   * Gives some pets their keys. Returns whether to continue: another process may be doing it, and a name that is not text stays
   * without a key.
   */
  const round = Effect.gen(function* () {
    const pets = keyed(yield* unkeyed)
    let count = 0
    for (const some of Arrays.chunksOf(pets, writtenAtOnce)) {
      count += yield* setKeys(unicodeVersion, some)
      yield* tick()
    }
    return pets.length === keyedAtOnce && count > 0
  })

  return Effect.zipRight(check, Effect.repeat(round, { while: (mayGoOn) => mayGoOn }))
}

/** Gives every pet its key before the store is used. A failure leaves them to {@link keepKeyed}. */
export const fillSearchKeys = (connection: DatabaseSync): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { setUnicodeVersion, checkKeys, setKeys } = keyWrites(connection)
    const each =
      <Args extends ReadonlyArray<unknown>, A>(write: (...args: Args) => A) =>
      (...args: Args): Effect.Effect<A, unknown> =>
        Effect.try(() => inTransaction(connection, () => write(...args)))
    const database = {
      prepare: (sql: string) => prepareExact(connection, sql),
      run: <A>(work: () => A): Effect.Effect<A, StorageUnavailable> => Effect.sync(work),
    }
    return keyPets(database, {
      setUnicodeVersion: each(setUnicodeVersion),
      checkKeys: each(checkKeys),
      setKeys: each(setKeys),
    })
  }).pipe(Effect.catchAllCause(() => Effect.void))

/** How long to collect new pets before they get their keys, in ms; and how often to look for pets of other processes. */
const gatherMillis = 1_000
const lookMillis = 2_000

/** This many writes end the wait. The more pets get their keys together, the less each costs; but a search reads all of them until then. */
const gatheredWrites = 6_000

/** Counts what a process has written since pets got their keys. */
export const countWrites = () => {
  const [some, enough] = [Effect.unsafeMakeLatch(), Effect.unsafeMakeLatch()]
  let count = 0
  return {
    add: (writes: number): void => {
      count += writes
      some.unsafeOpen()
      if (count >= gatheredWrites) enough.unsafeOpen()
    },
    forget: (): void => {
      count = 0
      for (const latch of [some, enough]) latch.unsafeClose()
    },
    some: some.await,
    enough: enough.await,
  }
}

/**
 * Gives pets their keys for as long as the scope lasts. `written` counts the writes of this process; if several share a writer,
 * only one of them has any.
 */
export const keepKeyed = (
  database: Database<ReturnType<typeof keyWrites>>,
  written: ReturnType<typeof countWrites>,
): Effect.Effect<void> => {
  const key = Effect.ignore(keyPets(database, database.writes))
  return key.pipe(
    // Only now: keys that this fiber has just written need no second look.
    Effect.zipRight(Effect.sync(written.forget)),
    Effect.zipRight(Effect.timeoutOption(written.some, lookMillis)),
    Effect.zipRight(Effect.timeoutOption(written.enough, gatherMillis)),
    Effect.forever,
    // Its own clock: a program that sets the clock forward by a year must not run every check of that year.
    Effect.withClock(Clock.make()),
  )
}
