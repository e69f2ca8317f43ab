/** SQLite stores and their backups for tests, and the files that a killed process leaves next to them. */
import { copyFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { PetRepository } from "@petstore/core"
import { Effect, Option, Stream } from "effect"
import { backupStore, restoreStore } from "../../src/backup.js"
import type { Repositories } from "../../src/repositories.js"
import { storage } from "../../src/storage.js"
import { change, withFile } from "../sqlite-file.js"

export const engines = ["sqlite", "sqljs"] as const
export type Engine = (typeof engines)[number]

/** The paths of a test's store and backup. */
export interface Place {
  readonly path: string
  readonly file: string
}

export const inPlace = (name: string, test: (place: Place) => Effect.Effect<void, unknown>) =>
  withFile(name, (path) => test({ path, file: join(dirname(path), "backup.db") }))

export const opened = <A, E>(adapter: Engine, path: string, use: Effect.Effect<A, E, Repositories>) =>
  Effect.provide(use, storage({ adapter, path }, { migrate: true }))

export const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`)

export const insert = (pets: ReadonlyArray<string>) =>
  Effect.flatMap(PetRepository, ({ insertAll }) => insertAll(Stream.make(pets.map((name) => ({ name, categoryId: 1n })))))

export const everyName = Effect.map(
  Effect.flatMap(PetRepository, ({ list }) => list({ status: Option.none(), after: Option.none(), limit: 100_000 })),
  (pets) => pets.map(({ name }) => name),
)

export const backup = (adapter: Engine, { path, file }: Place) => backupStore({ adapter, path }, file)

export const restore = (adapter: Engine, { path, file }: Place, replace = false) =>
  restoreStore({ adapter, path }, file, { replace })

/** Creates a store with some pets and a key, its backup, and later changes: more pets, and the key's revocation. */
export const backedUp = (adapter: Engine, place: Place) =>
  Effect.gen(function* () {
    yield* opened(adapter, place.path, insert(names(30, "kept")))
    change(
      place.path,
      "INSERT INTO accounts (id, name, created_at) VALUES ('a', 'shop', 1); INSERT INTO api_keys (id, account_id, hash, deployment, created_at) VALUES ('k', 'a', 'h', 'staging', 1)",
    )
    yield* backup(adapter, place)
    yield* opened(adapter, place.path, insert(names(300, "later")))
    change(place.path, "UPDATE api_keys SET revoked_at = 2")
  })

/** Creates the log that a killed process leaves behind, with writes that are not in the file yet. */
export const killedLog = (path: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec("PRAGMA journal_mode = WAL; UPDATE pets SET name = 'from the log'")
  copyFileSync(`${path}-wal`, `${path}-kept`)
  connection.close()
  copyFileSync(`${path}-kept`, `${path}-wal`)
}

/** Creates the journal that a process leaves behind if it is killed during a commit. The journal restores the former content. */
export const hotJournal = (path: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
  connection.exec("UPDATE pets SET name = 'from a transaction that never ended ' || id")
  copyFileSync(path, `${path}-kept`)
  copyFileSync(`${path}-journal`, `${path}-kept-journal`)
  connection.exec("ROLLBACK")
  connection.close()
  copyFileSync(`${path}-kept`, path)
  copyFileSync(`${path}-kept-journal`, `${path}-journal`)
}
