/**
 * Pet search keys in PostgreSQL. A pet is stored with its key. A pet from an older release has no key: searches read it
 * separately, and the next start adds its key. Later, a serving process corrects keys that do not match their names.
 */
import { maxInt64, minInt64, type StorageUnavailable, searchKeyOf } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import { keyed, unicodeVersion } from "../search-keys.js"
import type { Run } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { limitTransaction } from "./engine/transaction-limits.js"

/** The maximum number of pets that one transaction locks. */
const atOnce = 1_000

/** The number of pets whose names one statement compares with their keys. */
const comparedAtOnce = 10_000

type Transaction<E> = <A>(work: (run: Run<E>) => Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * Sets the keys ($2) of the pets with identifiers ($1) that still have the names ($3). Citus 13.2 crashes on an element of an
 * array parameter (`($2::text[])[…]`), but sends this join only to the pets' shards.
 */
const set = (isWanted: string): string =>
  `UPDATE pets SET search_key = keyed.key FROM unnest($1::int8[], $2::text[], $3::text[]) AS keyed (id, key, name)
    WHERE pets.id = ANY ($1::int8[]) AND pets.id = keyed.id AND pets.name = keyed.name AND ${isWanted} RETURNING pets.id`
const setMissing = set("search_key IS NULL")
const setWrong = set("search_key IS NOT NULL")

const valuesOf = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => {
  // Safe: the first two columns of the statements below are an identifier and a name.
  const pets = keyed(rows.map(([id, name]) => [id as bigint, name as string]))
  return [pets.map(([id]) => id), pets.map(([, , key]) => key), pets.map(([, name]) => name)] as const
}

/** Starts a check of all pets if their keys are for another Unicode version. */
const beginCheck = `UPDATE petstore_schema SET keys_checked_to = CASE WHEN unicode_version IS NULL THEN ${maxInt64} ELSE ${minInt64} END, unicode_version = $1
  WHERE only_row = 1 AND unicode_version IS DISTINCT FROM $1`

/** Updates some keys to this process's Unicode version. Returns whether there may be more. Any process can continue the work. */
const checkSome = <E>(run: Run<E>): Effect.Effect<boolean, E> =>
  Effect.gen(function* () {
    yield* run(beginCheck, [unicodeVersion])
    const [row] = yield* run("SELECT keys_checked_to FROM petstore_schema WHERE only_row = 1 AND unicode_version = $1", [
      unicodeVersion,
    ])
    if (row === undefined || row[0] === maxInt64) return false
    const rows = yield* run(`SELECT id, name FROM pets WHERE id > $1 ORDER BY id LIMIT ${atOnce}`, [row[0]])
    yield* run(setWrong, valuesOf(rows))
    yield* run("UPDATE petstore_schema SET keys_checked_to = $1 WHERE only_row = 1 AND unicode_version = $2", [
      rows.length < atOnce ? maxInt64 : rows.at(-1)?.[0],
      unicodeVersion,
    ])
    return true
  })

/** Adds some pets' keys. Returns whether there may be more. */
const fillSome = <E>(run: Run<E>): Effect.Effect<boolean, E> =>
  Effect.gen(function* () {
    const rows = yield* run(`SELECT id, name FROM pets WHERE search_key IS NULL LIMIT ${atOnce}`)
    if (rows.length === 0) return false
    const done = yield* run(setMissing, valuesOf(rows))
    return done.length > 0
  })

/** Pets whose keys might not match: the server folds only ASCII as `searchKeyOf` does. The last pet shows where to continue. */
const suspects = `SELECT id, name, search_key, place FROM (
    SELECT id, name, search_key, row_number() OVER (ORDER BY id) AS place
    FROM (SELECT id, name, search_key FROM pets WHERE id > $1 ORDER BY id LIMIT ${comparedAtOnce}) AS entries
  ) AS walk WHERE search_key <> left(lower(name), 64) OR place = ${comparedAtOnce} ORDER BY id`

/** Renews the keys of pets whose names were changed by manual SQL or an older release, which leave the old key in place. */
export const compareSearchKeys = ({ read, write }: Pick<Database, "read" | "write">): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    for (let after: unknown = minInt64; ; ) {
      const rows = yield* read(suspects, [after])
      // Safe: names are text.
      const wrong = rows.filter(([, name, key]) => key !== null && key !== searchKeyOf(name as string))
      for (const some of Arrays.chunksOf(wrong, atOnce)) yield* write(setWrong, valuesOf(some))
      const last = rows.at(-1)
      if (last?.[3] !== BigInt(comparedAtOnce)) return
      after = last[0]
    }
  })

/**
 * Adds missing keys and updates old ones. Waits at most a second for a locked pet. The next start or round adds the rest; until
 * then, searches read those pets separately.
 */
export const fillSearchKeys = <E>(transaction: Transaction<E>): Effect.Effect<void> => {
  const all = (some: (run: Run<E>) => Effect.Effect<boolean, E>) =>
    transaction((run) => Effect.zipRight(limitTransaction(run), some(run))).pipe(
      Effect.retry({ times: 1 }), // after a conflict with concurrent changes
      Effect.repeat({ while: (isMore) => isMore }),
    )
  return Effect.ignore(Effect.zipRight(all(checkSome), all(fillSome)))
}
