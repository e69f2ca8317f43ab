/**
 * The words of pets' names in `pet_words`, an FTS4 table, which every build of SQLite has, sql.js included (decision 0050). Each
 * write of a name writes its words in the same transaction. SQL by hand does not, so a service compares both once, at its start.
 */
import { maxInt64, minInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { wordsTextOf } from "../words-text.js"
import type { Recorded } from "./change-writes.js"
import { rowInserts, type Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

/** The name of a pet that was written; `undefined` if the pet was removed. */
export type WrittenName = readonly [id: bigint, name: string | undefined]

/** The names that changes gave. The last change of a pet counts. */
const namesOf = (changes: ReadonlyArray<Pick<Recorded, "before" | "after">>): Iterable<WrittenName> => {
  const names = new Map<bigint, string | undefined>()
  for (const { before, after } of changes) {
    const pet = after?.pet ?? before?.pet
    const name = after?.pet?.name
    if (pet !== undefined && name !== before?.pet?.name) names.set(pet.id, name)
  }
  return names
}

export const wordWrites = ({ prepare }: Pick<Statements, "prepare">) => {
  // FTS4 looks for a row to delete only on request. Most names are of new pets, which have none: their identifiers only grow.
  const last = prepare("SELECT coalesce(max(docid), 0) FROM pet_words_content")
  const add = rowInserts({ prepare }, "INSERT INTO pet_words", ["docid", "words"])
  const replace = prepare("INSERT OR REPLACE INTO pet_words (docid, words) VALUES (?, ?)")
  const remove = prepare("DELETE FROM pet_words WHERE docid = ?")
  const select = prepare("SELECT name FROM pets WHERE id = ?")

  const writeNames = (names: Iterable<WrittenName>): void => {
    // Safe: the statement returns one integer.
    const [lastId] = last.get() as unknown as readonly [bigint]
    const added: Array<bigint | string> = []
    for (const [id, name] of names) {
      if (name === undefined) remove.run(id)
      else if (id > lastId) added.push(id, wordsTextOf(name))
      else replace.run(id, wordsTextOf(name))
    }
    add(added)
  }

  return {
    writeNames,

    /**
     * Writes words at the end of a transaction. Before a savepoint, which other statements and triggers use too, FTS4 writes the
     * words of the transaction so far to a segment of its own: with each pet, that would take four times as long.
     */
    writeWords: (changes: ReadonlyArray<Recorded>): void => {
      if (changes.length > 0) writeNames(namesOf(changes))
    },

    /** Writes the words of pets whose names have not changed now. */
    correctWords: (ids: ReadonlyArray<bigint>): void => {
      // Safe: the statement lists this column.
      writeNames(ids.map((id) => [id, (select.get(id) as unknown as readonly [string] | undefined)?.[0]]))
    },
  }
}

/** The number of pets that are compared at once, and the pause after them in ms, in which requests run. */
const comparedAtOnce = 500
const pauseMillis = 2

/** How long to wait after a failure, such as a full disk, in ms. */
const retryMillis = 60_000

/**
 * Compares every name with its words, and corrects the words that differ. Comparing a million names takes about ten seconds.
 *
 * @param onCorrected called after each correction: cached pages may be without these pets
 */
export const compareWords = (
  { prepare, run, writes }: Pick<Database<{ correctWords: (ids: ReadonlyArray<bigint>) => void }>, "prepare" | "run" | "writes">,
  onCorrected: () => void,
) => {
  const compare = prepare(`SELECT id, name, c0words FROM pets LEFT JOIN pet_words_content ON docid = id
    WHERE id > ? ORDER BY id LIMIT ${comparedAtOnce}`)
  const removed = prepare(`SELECT docid FROM pet_words_content WHERE docid > ? AND docid <= ?
    AND NOT EXISTS (SELECT 1 FROM pets WHERE id = docid)`)

  const compareAfter = (after: bigint) =>
    run(() => {
      // Safe: the statement lists these columns.
      const rows = compare.all(after) as unknown as ReadonlyArray<readonly [bigint, string, string | null]>
      const end = rows.length < comparedAtOnce ? maxInt64 : (rows.at(-1)?.[0] ?? maxInt64)
      const wrong = rows.filter(([, name, words]) => words !== wordsTextOf(name)).map(([id]) => id)
      const gone = removed.all(after, end) as unknown as ReadonlyArray<readonly [bigint]>
      return { end, ids: [...wrong, ...gone.map(([id]) => id)] }
    })

  // A correction that failed may be on disk.
  const correct = (ids: ReadonlyArray<bigint>) => Effect.ensuring(writes.correctWords(ids), Effect.sync(onCorrected))

  return Effect.iterate(minInt64, {
    while: (after) => after < maxInt64,
    body: (after) =>
      Effect.flatMap(compareAfter(after), ({ end, ids }) =>
        Effect.as(Effect.zipRight(ids.length === 0 ? Effect.void : correct(ids), Effect.sleep(pauseMillis)), end),
      ),
  }).pipe(Effect.retry(Schedule.spaced(retryMillis)))
}
