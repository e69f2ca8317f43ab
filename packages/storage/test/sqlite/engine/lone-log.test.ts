/** A start beside the log of a SQLite store without its file: a new store would destroy the log. */
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { backedUp, engines, everyName, hotJournal, inPlace, killedLog, opened } from "../stores-and-backups.js"

describe.each(engines)("a start of a %s store", (adapter) => {
  for (const [what, leave] of [
    ["the log", killedLog],
    ["the journal", hotJournal],
  ] as const) {
    inPlace(`is refused where ${what} of a store is there without its file, and leaves it there`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        leave(place.path)
        const elsewhere = `${place.path}.elsewhere`
        renameSync(place.path, elsewhere)
        expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({
          reason: expect.stringMatching(/but the log of one, petstore\.db-(wal|journal)\./),
        })
        expect(existsSync(place.path)).toBe(false)
        renameSync(elsewhere, place.path)
        expect(yield* opened("sqlite", place.path, everyName)).toHaveLength(330)
      }),
    )
  }

  inPlace(
    "begins again where the first transaction of a store was killed, which leaves an empty file beside a journal",
    (place) =>
      Effect.gen(function* () {
        writeFileSync(place.path, "")
        writeFileSync(`${place.path}-journal`, "x".repeat(512))
        expect(yield* opened(adapter, place.path, everyName)).toStrictEqual([])
      }),
  )

  inPlace("is refused where the file of a log is empty, and leaves the log there", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      killedLog(place.path)
      const elsewhere = `${place.path}.elsewhere`
      renameSync(place.path, elsewhere)
      writeFileSync(place.path, "")
      expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({
        reason: expect.stringContaining("but the log of one, petstore.db-wal."),
      })
      renameSync(elsewhere, place.path)
      expect(yield* opened("sqlite", place.path, everyName)).toHaveLength(330)
    }),
  )
})
