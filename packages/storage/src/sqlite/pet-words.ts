/**
 * The words of pets' names in `pet_words`, an FTS4 table, which every build of SQLite has, sql.js included (decision 0050). Each
 * write of a name writes its words in the same transaction. SQL by hand does not, so a service compares both once, at its start.
 */
import { maxInt64, minInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { wordsTextOf } from "../words-text.js"
import type { Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

/** From this number of pets on, one statement for all takes less time than one for each: for an import, two thirds. */
const many = 100

/**
 * Writes words at the end of each transaction. Before a savepoint, which other statements and triggers use too, FTS4 writes the words
 * of the transaction so far to a segment of its own: with each pet, that would take four times as long.
 */
export const wordWrites = ({ prepare }: Pick<Statements, "prepare">) => {
  // FTS4 looks for a row to delete only on request. Most names are of new pets, which have none: their identifiers only grow.
  const last = prepare("SELECT coalesce(max(docid), 0) FROM pet_words_content")
  const add = prepare("INSERT INTO pet_words (docid, words) VALUES (?, ?)")
  const replace = prepare("INSERT OR REPLACE INTO pet_words (docid, words) VALUES (?, ?)")
  const remove = prepare("DELETE FROM pet_words WHERE docid = ?")
  const select = prepare("SELECT name FROM pets WHERE id = ?")
  const replaceAll = prepare(
    "INSERT OR REPLACE INTO pet_words (docid, words) SELECT CAST(key AS INTEGER), value FROM json_each(?)",
  )
  const selectAll = prepare("SELECT pets.id, name FROM json_each(?) CROSS JOIN pets ON pets.id = value")
  const changed = new Set<bigint>()

  const writeMany = (): void => {
    const words: Record<string, string> = {}
    // Safe: the statement lists these columns.
    for (const [id, name] of selectAll.all(`[${[...changed].join()}]`) as unknown as ReadonlyArray<readonly [bigint, string]>) {
      words[String(id)] = wordsTextOf(name)
      changed.delete(id)
    }
    replaceAll.run(JSON.stringify(words))
  }

  return {
    /** Has the words of this pet written or removed with the transaction. A write that failed may have changed no pet. */
    changeWords: (id: bigint): void => void changed.add(id),

    writeWords: (): void => {
      if (changed.size === 0) return
      if (changed.size >= many) writeMany()
      // Safe: the statement returns one integer.
      const [lastId] = last.get() as unknown as readonly [bigint]
      for (const id of changed) {
        changed.delete(id)
        // Safe: the statement lists this column.
        const row = select.get(id) as unknown as readonly [string] | undefined
        if (row === undefined) remove.run(id)
        else (id > lastId ? add : replace).run(id, wordsTextOf(row[0]))
      }
    },
  }
}

/** The number of pets that are compared at once, and the pause after them in ms, in which requests run. */
const comparedAtOnce = 500
const pauseMillis = 2

/** How long to wait after a failure, such as a full disk, in ms. */
const retryMillis = 60_000

/** Compares every name with its words, and corrects the words that differ. Comparing a million names takes about ten seconds. */
export const compareWords = ({
  prepare,
  run,
  writes,
}: Pick<Database<{ correctWords: (ids: ReadonlyArray<bigint>) => void }>, "prepare" | "run" | "writes">) => {
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

  return Effect.iterate(minInt64, {
    while: (after) => after < maxInt64,
    body: (after) =>
      Effect.flatMap(compareAfter(after), ({ end, ids }) =>
        Effect.as(Effect.zipRight(ids.length === 0 ? Effect.void : writes.correctWords(ids), Effect.sleep(pauseMillis)), end),
      ),
  }).pipe(Effect.retry(Schedule.spaced(retryMillis)))
}
