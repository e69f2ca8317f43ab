/** Tests a start if only the log of a SQLite store exists, without the store's file. A new store would destroy the log. */
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { backedUp, engines, everyName, hotJournal, inPlace, killedLog, opened } from "../stores-and-backups.js"

describe.each(engines)("a start of a %s store", (adapter) => {
  for (const [what, leave] of [
    ["log", killedLog],
    ["journal", hotJournal],
  ] as const) {
    inPlace(`is refused if only the store's ${what} exists, and leaves the ${what} in place`, (place) =>
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

  inPlace("creates a store if an earlier start was killed during its first transaction", (place) =>
    Effect.gen(function* () {
      writeFileSync(place.path, "")
      writeFileSync(`${place.path}-journal`, "x".repeat(512))
      expect(yield* opened(adapter, place.path, everyName)).toStrictEqual([])
    }),
  )

  inPlace("is refused if an empty file has a store's log, and leaves the log in place", (place) =>
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
