/**
 * The search keys of pets in PostgreSQL. A pet is kept with its key. What an older release keeps has none: a search reads it beside the index,
 * and a start gives it its key. What changes a name and not its key is seen by a process that serves, some time after its start.
 */
import { maxInt64, minInt64, type StorageUnavailable, searchKeyOf } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import { keyed, unicodeVersion } from "../search-keys.js"
import type { Rows, Run } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { StatementFailed } from "./engine/errors.js"
import { limitTransaction } from "./engine/transaction-limits.js"

/** Most pets that one transaction locks. */
const atOnce = 1_000

/** How long a statement waits for a pet that a request has locked, in ms. */
const lockMillis = 500

/** Pets that one statement compares with their keys. */
const comparedAtOnce = 10_000

type RunIn<E> = (text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<Rows, E>

/** Does some work in one transaction. */
type Transaction<E> = <A>(work: (run: RunIn<E>) => Effect.Effect<A, E>) => Effect.Effect<A, E>

/** On a connection that nothing else uses. */
export const transactionsOn =
  (run: Run): Transaction<StatementFailed> =>
  (work) =>
    run("BEGIN").pipe(
      Effect.zipRight(work(run)),
      Effect.zipLeft(run("COMMIT")),
      Effect.tapError(() => Effect.ignore(run("ROLLBACK"))),
    )

/**
 * Sets keys ($2) of the pets with identifiers ($1) that have the names ($3) still. Citus 13.2 crashes on the element of an array
 * parameter (`($2::text[])[…]`), and sends this join to the shards of the pets alone.
 */
const set = (isWanted: string): string =>
  `UPDATE pets SET search_key = keyed.key FROM unnest($1::int8[], $2::text[], $3::text[]) AS keyed (id, key, name)
    WHERE pets.id = ANY ($1::int8[]) AND pets.id = keyed.id AND pets.name = keyed.name AND ${isWanted} RETURNING pets.id`
const setMissing = set("search_key IS NULL")
const setWrong = set("search_key IS NOT NULL")

const valuesOf = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => {
  // Safe: the statements below list an identifier and a name first.
  const pets = keyed(rows.map(([id, name]) => ({ id: id as bigint, name: name as string })))
  return [pets.map(([id]) => id), pets.map(([, , key]) => key), pets.map(([, name]) => name)] as const
}

/** Begins to look through all pets where their keys are of another version of Unicode. */
const beginCheck = `UPDATE petstore_schema SET keys_checked_to = CASE WHEN unicode_version IS NULL THEN ${maxInt64} ELSE ${minInt64} END, unicode_version = $1
  WHERE only_row = 1 AND unicode_version IS DISTINCT FROM $1`

/** Makes some keys those of this process's version of Unicode. Answers whether there may be more. One that ends midway is followed by one that goes on. */
const checkSome = <E>(run: RunIn<E>): Effect.Effect<boolean, E> =>
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

/** Gives some pets their keys. Answers whether there may be more. */
const fillSome = <E>(run: RunIn<E>): Effect.Effect<boolean, E> =>
  Effect.gen(function* () {
    const rows = yield* run(`SELECT id, name FROM pets WHERE search_key IS NULL LIMIT ${atOnce}`)
    if (rows.length === 0) return false
    const done = yield* run(setMissing, valuesOf(rows))
    return done.length > 0
  })

/**
 * Pets with a key that may be of another name. The server folds ASCII as `searchKeyOf` does, which leaves few. The last that it
 * looked at comes always: it says where to go on.
 */
const suspects = `SELECT id, name, search_key, place FROM (
    SELECT id, name, search_key, row_number() OVER (ORDER BY id) AS place
    FROM (SELECT id, name, search_key FROM pets WHERE id > $1 ORDER BY id LIMIT ${comparedAtOnce}) AS entries
  ) AS walk WHERE search_key <> left(lower(name), 64) OR place = ${comparedAtOnce} ORDER BY id`

/** Gives pets anew their keys whose names SQL by hand or an older release has changed: neither changes the key. */
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

/** How often a batch is tried again that others were at, too. */
const retries = 1

/**
 * Gives every pet its key. It waits a second at most for a pet that another transaction has locked. A failure is left to
 * the next start and to the next round of the processes that serve: until then those pets are searched beside the index.
 */
export const fillSearchKeys = <E>(transaction: Transaction<E>): Effect.Effect<void> => {
  const all = (some: (run: RunIn<E>) => Effect.Effect<boolean, E>) =>
    transaction((run) => Effect.zipRight(limitTransaction(run, { lockMillis }), some(run))).pipe(
      Effect.retry({ times: retries }),
      Effect.repeat({ while: (isMore) => isMore }),
    )
  return Effect.ignore(Effect.zipRight(all(checkSome), all(fillSome)))
}
