/** A log or journal belongs to the file next to it, unless the file is another store's, a backup, or an older copy. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { foreignLog } from "../../../src/sqlite/engine/log-owner.js"
import { sqliteStorage } from "../../../src/sqlite/storage.js"
import { otherConnection } from "../../sqlite-file.js"
import { atEachMoment } from "../between-looks.js"
import { everyName, inPlace, insert, names, opened } from "../stores-and-backups.js"

/** Leaves the file and journal of a process that was killed while it committed, after it had written page 1. */
const killDuringCommit = (path: string, change: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec(`PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; ${change};`)
  connection.exec("UPDATE pets SET name = 'from a transaction that never ended ' || id")
  copyFileSync(`${path}-journal`, `${path}-kept`)
  connection.exec("COMMIT")
  connection.close()
  copyFileSync(`${path}-kept`, `${path}-journal`)
}

const raise = "PRAGMA application_id = 8"

for (const [what, before] of [
  ["raised", "PRAGMA application_id = 7"],
  ["given", "PRAGMA application_id = 0"],
] as const) {
  inPlace(`a journal belongs to a store whose number was being ${what}, and is rolled back`, (place) =>
    Effect.gen(function* () {
      yield* opened("sqljs", place.path, insert(names(3_000, "pet")))
      const connection = new DatabaseSync(place.path)
      connection.exec(before)
      connection.close()
      killDuringCommit(place.path, raise)
      expect(foreignLog(place.path)).toBe(undefined)
      expect(yield* opened("sqljs", place.path, everyName)).toStrictEqual(names(3_000, "pet"))
    }),
  )
}

inPlace("a journal does not belong to an older copy of its store", (place) =>
  Effect.gen(function* () {
    yield* opened("sqljs", place.path, insert(names(3_000, "pet")))
    const older = readFileSync(place.path)
    yield* opened("sqljs", place.path, insert(names(3, "later")))
    killDuringCommit(place.path, "SELECT 1")
    writeFileSync(place.path, older)
    expect(foreignLog(place.path)).toBe("-journal")
    expect(yield* opened("sqljs", place.path, everyName)).toStrictEqual(names(3_000, "pet"))
  }),
)

inPlace("a log belongs to its store, even if another program writes it into the file between any two transactions", ({ path }) =>
  Effect.gen(function* () {
    const owners: Array<string | undefined> = []
    yield* opened("sqlite", path, insert(["Rex"]))
    const other = yield* otherConnection(path)
    const onGroupCommit = () => {
      owners.push(foreignLog(path))
      other.exec("PRAGMA wal_checkpoint")
    }
    yield* Layer.build(sqliteStorage(DatabaseSync, path, { migrate: true, serviceLockMillis: 0, onGroupCommit }))
    while (owners.length < 4) yield* Effect.sleep(20)
    expect(owners.filter((owner) => owner !== undefined)).toStrictEqual([])
  }).pipe(Effect.scoped),
)

/** Changes page 1 first, and then so many pages that SQLite writes some of them before the commit. */
const change = "PRAGMA user_version = 7; UPDATE pets SET name = name || '!'"

const numbered = (number: number): string => `PRAGMA application_id = ${number}`

for (const [mode, what, meanwhile] of [
  ["DELETE", "deletes its journal", "COMMIT"],
  ["DELETE", "begins another journal", `COMMIT; ${change}; ${change}; BEGIN; ${change}`],
  ["WAL", "deletes its log", "COMMIT; PRAGMA journal_mode = DELETE"],
  ["WAL", "begins another log", `COMMIT; ${numbered(8)}; PRAGMA wal_checkpoint(TRUNCATE); ${change}; ${numbered(9)}`],
] as const) {
  inPlace(`no log or journal is another store's if another program ${what} between any two looks`, ({ path }) =>
    Effect.gen(function* () {
      yield* opened("sqlite", path, insert(names(300, "pet")))
      const start = () => {
        const connection = new DatabaseSync(path)
        connection.exec(`PRAGMA journal_mode = DELETE; ${numbered(7)}; PRAGMA journal_mode = ${mode}`)
        connection.exec(`PRAGMA cache_size = 1; PRAGMA cache_spill = 1; ${change}; BEGIN; ${change}`)
        return { act: () => connection.exec(meanwhile), end: () => connection.close() }
      }
      const found = atEachMoment(start, () => foreignLog(path))
      expect(found.length).toBeGreaterThan(3)
      expect(found.filter((suffix) => suffix !== undefined)).toStrictEqual([])
    }),
  )
}
