/** Starts where a SQLite store's log exists without the store's file. A new store would destroy the log. */
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { backedUp, engines, everyName, hotJournal, inPlace, killedLog, opened } from "../stores-and-backups.js"

describe.each(engines)("a start of a %s store", (adapter) => {
  for (const [what, leave] of [
    ["the log", killedLog],
    ["the journal", hotJournal],
  ] as const) {
    inPlace(`is refused where ${what} of a store exists without its file, and leaves it in place`, (place) =>
      Effect.gen(function* () {
        yield* backedUp(adapter, place)
        leave(place.path)
        const elsewhere = `${place.path}.elsewhere`
        renameSync(place.path, elsewhere)
        expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({
          reason: expect.stringMatching(/but there is a store's log, petstore\.db-(wal|journal)\./),
        })
        expect(existsSync(place.path)).toBe(false)
        renameSync(elsewhere, place.path)
        expect(yield* opened("sqlite", place.path, everyName)).toHaveLength(330)
      }),
    )
  }

  inPlace("starts anew where a store's first transaction was killed, which leaves an empty file next to a journal", (place) =>
    Effect.gen(function* () {
      writeFileSync(place.path, "")
      writeFileSync(`${place.path}-journal`, "x".repeat(512))
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual([])
    }),
  )

  inPlace("is refused where the log's file is empty, and leaves the log in place", (place) =>
    Effect.gen(function* () {
      yield* backedUp(adapter, place)
      killedLog(place.path)
      const elsewhere = `${place.path}.elsewhere`
      renameSync(place.path, elsewhere)
      writeFileSync(place.path, "")
      expect(yield* Effect.flip(opened(adapter, place.path, everyName))).toMatchObject({
        reason: expect.stringContaining("but there is a store's log, petstore.db-wal."),
      })
      renameSync(elsewhere, place.path)
      expect(yield* opened("sqlite", place.path, everyName)).toHaveLength(330)
    }),
  )
})
