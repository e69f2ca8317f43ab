/** Tests a start if only the log of a SQLite store exists, without the store's file. A new store would destroy the log. */
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { logWithoutFile, partsOf } from "../../../src/sqlite/engine/store-file.js"
import { atEachMoment } from "../between-looks.js"
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

for (const [what, mode] of [
  ["journal", "DELETE"],
  ["log", "WAL"],
] as const) {
  inPlace(`a start is not refused if another program creates the store and its ${what} between any two looks`, ({ path }) =>
    Effect.sync(() => {
      const start = () => {
        let connection: DatabaseSync | undefined
        return {
          act: () => {
            connection = new DatabaseSync(path)
            connection.exec(
              `PRAGMA application_id = 7; PRAGMA journal_mode = ${mode}; CREATE TABLE pets (id); BEGIN; CREATE TABLE api_keys (id)`,
            )
          },
          end: () => {
            connection?.close()
            for (const part of partsOf(path)) rmSync(part)
          },
        }
      }
      const found = atEachMoment(start, () => logWithoutFile(path))
      expect(found.length).toBeGreaterThan(3)
      expect(found.filter((reason) => reason !== undefined)).toStrictEqual([])
    }),
  )
}
