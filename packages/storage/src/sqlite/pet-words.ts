/**
 * The words of pets' names in `pet_words`, an FTS4 table, which every build of SQLite has, sql.js included (decision 0050). Each
 * write of a name writes its words in the same transaction. SQL by hand does not, so a service compares both once, at its start.
 *
 * The newest pets wait for `pet_words` and for `pets_by_category`, because adding many at once takes a third of the time. Until
 * then, `waiting_words` of their rows has the words, and their identifiers are above all of `pet_words`.
 */
import { maxInt64, minInt64 } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { RecordedChange } from "../change-rows.js"
import { wordsTextOf } from "../words-text.js"
import type { Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

/** The name of a pet that was written; `undefined` if the pet was removed. */
export type WrittenName = readonly [id: bigint, name: string | undefined]

/** With this many new pets, all of them leave `waiting_words`. */
const waitingMaximum = 512n

/** The last identifier in `pet_words`, above which pets can wait. */
export const lastIndexed = "SELECT coalesce(max(docid), 0) FROM pet_words_content"

/** Never empty, and a space before each word. */
export const waitingWordsOf = (name: string): string => ` ${wordsTextOf(name)}`

/** The names that changes gave, without those of new pets that wait. The last change of a pet counts. */
const namesOf = (changes: ReadonlyArray<RecordedChange>, last: bigint): Iterable<WrittenName> => {
  const names = new Map<bigint, string | undefined>()
  for (const { operation, before, after } of changes) {
    const pet = after?.pet ?? before?.pet
    const name = after?.pet?.name
    if (pet === undefined || name === before?.pet?.name) continue
    if (operation !== "createPet" || pet.id <= last) names.set(pet.id, name)
  }
  return names
}

export const wordWrites = ({ prepare }: Pick<Statements, "prepare">) => {
  const selectLast = prepare(`SELECT (${lastIndexed}), coalesce(max(id), 0) FROM pets`)
  const wait = prepare("UPDATE pets SET waiting_words = ? WHERE id = ?")
  const isWaiting = "id > ? AND waiting_words <> ''"
  // FTS4 looks for a row to delete only on request, and pets that wait have none. `OR FAIL` needs no statement journal.
  const add = prepare(
    `INSERT OR FAIL INTO pet_words (docid, words) SELECT id, substr(waiting_words, 2) FROM pets WHERE ${isWaiting}`,
  )
  const endWait = prepare(`UPDATE OR FAIL pets SET waiting_words = '' WHERE ${isWaiting}`)
  const replace = prepare("INSERT OR REPLACE INTO pet_words (docid, words) VALUES (?, ?)")
  const remove = prepare("DELETE FROM pet_words WHERE docid = ?")
  const select = prepare("SELECT name FROM pets WHERE id = ?")

  /** The last identifiers in `pet_words` and in `pets`. */
  // Safe: the statement returns two integers.
  const last = () => selectLast.get() as unknown as readonly [indexed: bigint, pets: bigint]

  const writeNames = (names: Iterable<WrittenName>, lastId: bigint): void => {
    for (const [id, name] of names) {
      if (name === undefined) remove.run(id)
      else if (id > lastId) wait.run(waitingWordsOf(name), id)
      else {
        // After SQL by hand, a new pet can have an identifier that `pet_words` has.
        wait.run("", id)
        replace.run(id, wordsTextOf(name))
      }
    }
  }

  const indexWaiting = (): void => {
    const [lastId] = last()
    add.run(lastId)
    endWait.run(lastId)
  }

  return {
    indexWaiting,

    /**
     * Writes words at the end of a transaction. Before a savepoint, which other statements and triggers use too, FTS4 writes the
     * words of the transaction so far to a segment of its own: with each pet, that would take four times as long.
     */
    writeWords: (changes: ReadonlyArray<RecordedChange>): void => {
      if (changes.length === 0) return
      const [lastId, lastPet] = last()
      writeNames(namesOf(changes, lastId), lastId)
      if (lastPet - lastId >= waitingMaximum) indexWaiting()
    },

    /** Writes the words of pets whose names have not changed now. */
    correctWords: (ids: ReadonlyArray<bigint>): void => {
      // Safe: the statement lists this column.
      const names = ids.map((id): WrittenName => [id, (select.get(id) as unknown as readonly [string] | undefined)?.[0]])
      writeNames(names, last()[0])
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
  const words = `CASE WHEN id <= (${lastIndexed}) THEN c0words WHEN waiting_words <> '' THEN substr(waiting_words, 2) END`
  const compare = prepare(`SELECT id, name, ${words} FROM pets LEFT JOIN pet_words_content ON docid = id
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
