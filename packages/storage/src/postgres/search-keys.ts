/**
 * The search keys of pets in PostgreSQL. A pet is kept with its key. What an older release keeps has none: a search reads it beside the index,
 * and a start gives it its key.
 */
import { maxInt64, minInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import { keyed, unicodeVersion } from "../search-keys.js"
import type { Run } from "./engine/connection.js"
import type { StatementFailed } from "./engine/errors.js"

/** Most pets that one transaction locks. */
const atOnce = 1_000

/** Sets keys ($2) of the pets with identifiers ($1) that have the names ($3) still. An expression, which a distributed engine sends to each node. */
const set = (isWanted: string): string => {
  const place = "array_position($1::int8[], id)"
  return `UPDATE pets SET search_key = ($2::text[])[${place}]
    WHERE id = ANY ($1::int8[]) AND name = ($3::text[])[${place}] AND ${isWanted} RETURNING id`
}
const setMissing = set("search_key IS NULL")
const setWrong = set("search_key IS NOT NULL")

const valuesOf = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => {
  // Safe: the statements below list an identifier and a name first.
  const pets = keyed(rows.map(([id, name]) => ({ id: id as bigint, name: name as string })))
  return [pets.map(([id]) => id), pets.map(([, , key]) => key), pets.map(([, name]) => name)] as const
}

/** Makes keys those of this process's version of Unicode. A start that ends midway is followed by one that goes on. */
const check = (run: Run): Effect.Effect<void, StatementFailed> =>
  Effect.gen(function* () {
    yield* run(
      `UPDATE petstore_schema SET keys_checked_to = CASE WHEN unicode_version IS NULL THEN ${maxInt64} ELSE ${minInt64} END, unicode_version = $1
       WHERE only_row = 1 AND unicode_version IS DISTINCT FROM $1`,
      [unicodeVersion],
    )
    for (;;) {
      const [row] = yield* run("SELECT keys_checked_to FROM petstore_schema WHERE only_row = 1 AND unicode_version = $1", [
        unicodeVersion,
      ])
      if (row === undefined || row[0] === maxInt64) return
      const rows = yield* run(`SELECT id, name FROM pets WHERE id > $1 ORDER BY id LIMIT ${atOnce}`, [row[0]])
      yield* run(`${setWrong}`, valuesOf(rows))
      yield* run("UPDATE petstore_schema SET keys_checked_to = $1 WHERE only_row = 1 AND unicode_version = $2", [
        rows.length < atOnce ? maxInt64 : rows.at(-1)?.[0],
        unicodeVersion,
      ])
    }
  })

/** Gives some pets their keys. Answers whether there may be more. */
const fillSome = (run: Run): Effect.Effect<boolean, StatementFailed> =>
  Effect.gen(function* () {
    const rows = yield* run(`SELECT id, name FROM pets WHERE search_key IS NULL LIMIT ${atOnce}`)
    if (rows.length === 0) return false
    const done = yield* run(setMissing, valuesOf(rows))
    return done.length > 0
  })

/** How often a batch is tried that others were at, too. */
const attempts = 5

/** Gives every pet its key. A failure is left to the next start: until then those pets are searched beside the index. */
export const fillSearchKeys = (run: Run): Effect.Effect<void> =>
  check(run).pipe(
    Effect.retry({ times: attempts }),
    Effect.zipRight(Effect.repeat(Effect.retry(fillSome(run), { times: attempts }), { while: (isMore) => isMore })),
    Effect.ignore,
  )
