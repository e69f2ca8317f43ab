/**
 * The words of pets' names in PostgreSQL: `pets.words`, which each write of a name sets. SQL by hand does not, so a service compares
 * both once, at its start.
 */
import { minInt64, type StorageUnavailable } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { wordsTextOf } from "../words-text.js"
import type { Database } from "./engine/database.js"

/** The maximum number of pets that one statement compares, and that one statement changes. */
const comparedAtOnce = 10_000
const changedAtOnce = 1_000

/** How long to wait after a failure, in ms. */
const retryMillis = 60_000

/** Pets whose words might differ: the server folds only ASCII, without apostrophes. The last pet shows where to continue. */
const suspects = `SELECT id, name, words, place FROM (
    SELECT id, name, words, row_number() OVER (ORDER BY id) AS place
    FROM (SELECT id, name, words FROM pets WHERE id > $1 ORDER BY id LIMIT ${comparedAtOnce}) AS entries
  ) AS walk
  WHERE words IS DISTINCT FROM btrim(regexp_replace(translate(lower(name), E'\\x27\\x60', ''), '[^a-z0-9]+', ' ', 'g'))
    OR place = ${comparedAtOnce} ORDER BY id`

/**
 * Sets the words ($2) of the pets with identifiers ($1) that still have the names ($3). Citus 13.2 crashes on an element of an
 * array parameter (`($2::text[])[…]`), but sends this join only to the pets' shards.
 */
const setWords = `UPDATE pets SET words = corrected.words FROM unnest($1::int8[], $2::text[], $3::text[]) AS corrected (id, words, name)
  WHERE pets.id = ANY ($1::int8[]) AND pets.id = corrected.id AND pets.name = corrected.name RETURNING pets.id`

const compareAll = ({ read, write }: Database): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    for (let after: unknown = minInt64; ; ) {
      const rows = yield* read(suspects, [after])
      // Safe: names are text.
      const pets = rows.map(([id, name, words]) => ({ id, name, words, expected: wordsTextOf(name as string) }))
      const wrong = pets.filter(({ words, expected }) => words !== expected)
      for (const some of Arrays.chunksOf(wrong, changedAtOnce)) {
        yield* write(setWords, [some.map(({ id }) => id), some.map(({ expected }) => expected), some.map(({ name }) => name)])
      }
      const last = rows.at(-1)
      if (last?.[3] !== BigInt(comparedAtOnce)) return
      after = last[0]
    }
  })

const makeTurn =
  "INSERT INTO petstore_processes (id, wrote_at) VALUES ('name words', now() - interval '1 hour') ON CONFLICT (id) DO NOTHING"
const takeTurn = `UPDATE petstore_processes SET wrote_at = now()
  WHERE id = 'name words' AND wrote_at < $1::timestamptz RETURNING id`

/** Compares every name with its words, unless a process that started later does so, and corrects the words that differ. */
export const compareWords = (database: Database): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { coordinator } = database
    const [now] = yield* coordinator.read("SELECT now()::text")
    yield* coordinator.write(makeTurn)
    const compare = Effect.retry(compareAll(database), Schedule.spaced(retryMillis))
    const taken = yield* coordinator.write(takeTurn, [now?.[0]])
    if (taken.length > 0) yield* compare
  }).pipe(Effect.retry(Schedule.spaced(retryMillis)), Effect.orDie)
