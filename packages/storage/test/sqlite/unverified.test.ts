/** Tests restores of files that no backup made: copies by Litestream, by snapshots of file systems, by hand. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { restoreStore } from "../../src/backup.js"
import type { RestoreOptions } from "../../src/store-copy.js"
import { change } from "../sqlite-file.js"
import { engines, everyName, hotJournal, inPlace, insert, killedLog, names, opened } from "./stores-and-backups.js"

const withKey =
  "INSERT INTO accounts (id, name, created_at) VALUES ('a', 'shop', 1); INSERT INTO api_keys (id, account_id, hash, deployment, created_at) VALUES ('k', 'a', 'h', 'staging', 1)"

/** As Litestream leaves a store, and restores it: its own tables, WAL mode in the header, and no log. */
const asLitestream = (path: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); INSERT INTO _litestream_seq VALUES (1, 7); CREATE TABLE _litestream_lock (id INTEGER)",
  )
  connection.close()
}

const parts = (file: string) => ["", "-wal", "-journal"].map((suffix) => `${file}${suffix}`)

/** Copies a store's files to another folder, as a snapshot of the file system has them. */
const snapshot = (path: string): string => {
  const folder = join(dirname(path), "snapshot")
  mkdirSync(folder)
  const file = join(folder, "petstore.db")
  for (const [index, part] of parts(path).entries()) {
    if (existsSync(part)) copyFileSync(part, parts(file)[index] ?? "")
  }
  return file
}

const bytesOf = (file: string) => parts(file).map((part) => (existsSync(part) ? readFileSync(part).toString("base64") : ""))

describe.each(engines)("an unverified restore of a %s store", (adapter) => {
  const restore = (path: string, file: string, options: Partial<RestoreOptions> = {}) =>
    restoreStore({ adapter, path }, file, { replace: true, unverified: true, ...options })

  const filled = (path: string) =>
    Effect.zipRight(
      opened(adapter, path, insert(names(30, "kept"))),
      Effect.sync(() => change(path, withKey)),
    )

  for (const [what, leave, expected] of [
    ["that Litestream restored", asLitestream, names(30, "kept")],
    ["with a log", killedLog, names(30, "from the log").map(() => "from the log")],
    ["with a journal", hotJournal, names(30, "kept")],
  ] as const) {
    inPlace(`takes a file ${what}, which stays unchanged, and revokes its keys`, ({ path }) =>
      Effect.gen(function* () {
        yield* filled(path)
        leave(path)
        const file = snapshot(path)
        for (const part of parts(path)) rmSync(part, { force: true })
        const before = bytesOf(file)
        const { keys, pets } = yield* restore(path, file)
        expect({ keys, pets }).toMatchObject({ keys: { revoked: 1, accepted: 0 }, pets: 30n })
        expect(bytesOf(file)).toEqual(before)
        expect(yield* opened(adapter, path, everyName)).toStrictEqual(expected)
      }),
    )
  }

  inPlace("keeps the keys that the replaced store knows, with their revocations", ({ path }) =>
    Effect.gen(function* () {
      yield* filled(path)
      asLitestream(path)
      const file = snapshot(path)
      expect((yield* restore(path, file)).keys).toMatchObject({ revoked: 0, accepted: 1 })
      change(path, "UPDATE api_keys SET revoked_at = 2")
      expect((yield* restore(path, file)).keys).toMatchObject({ ended: 1, accepted: 0 })
      expect((yield* restore(path, file, { withKeys: true })).keys).toMatchObject({ accepted: 0 })
    }),
  )

  inPlace("refuses the store itself, other databases and damaged files, and changes nothing", ({ path }) =>
    Effect.gen(function* () {
      yield* filled(path)
      const other = join(dirname(path), "other.db")
      change(other, "CREATE TABLE pets (id INTEGER)")
      const torn = join(dirname(path), "torn.db")
      writeFileSync(torn, readFileSync(path).subarray(0, 8_192))
      const before = bytesOf(path)
      for (const [file, says] of [
        [path, "is the store itself"],
        [other, "is not a store of this program"],
        [torn, /malformed|damaged/],
      ] as const) {
        const { message } = yield* Effect.flip(restore(path, file))
        expect(message).toMatch(says)
      }
      expect(bytesOf(path)).toEqual(before)
    }),
  )
})
