/**
 * Locks of open stores. Every program that opens a store holds a shared lock; one of several serving processes also holds the
 * writer lock; a restore takes the exclusive one. The kernel drops the locks at the end of a process.
 *
 * The lock is on a separate empty file, so it works the same for both engines and for a damaged or missing store, and it stays
 * with the name of the store when the store is moved.
 */
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { makePrivate } from "../../private-file.js"
import { faultOf } from "./errors.js"
import { makeFolder, usersOf } from "./store-file.js"

/** `shared`: with other programs that have the store open. `writer`: with them, as their writer. `exclusive`: alone. */
export type StoreLockKind = "shared" | "writer" | "exclusive"

/** Another process holds the lock. */
export class StoreLockTaken extends Error {}

export interface StoreLock {
  readonly release: () => void
}

const statements = {
  shared: "BEGIN; SELECT 1 FROM sqlite_schema",
  writer: "BEGIN IMMEDIATE",
  exclusive: "BEGIN EXCLUSIVE",
} as const satisfies Record<StoreLockKind, string>

/**
 * Takes a lock on the store in `file`, with links resolved, or throws `StoreLockTaken`. Throws an error of SQLite if the lock is
 * impossible.
 *
 * Node.js has no file locks of its own, so these are those of SQLite on another file. Without
 * `node:sqlite` nothing is locked: no restore runs there, because the `petstore` command needs it.
 */
export const lockStore = (file: string, kind: StoreLockKind, timeoutMillis: number): StoreLock => {
  const native = process.getBuiltinModule?.("node:sqlite")
  if (native === undefined) return { release: () => {} }
  makeFolder(dirname(file))
  makePrivate(usersOf(file), file)
  const connection = new native.DatabaseSync(usersOf(file), { timeout: timeoutMillis })
  try {
    // In memory: nothing is written, so a killed process leaves no journal.
    connection.exec(`PRAGMA journal_mode = MEMORY; ${statements[kind]}`)
  } catch (thrown) {
    connection.close()
    throw faultOf(thrown).kind === "busy" ? new StoreLockTaken(`${file} is in use`, { cause: thrown }) : thrown
  }
  return { release: () => connection.close() }
}

/** Whether a program has the store open, for a look that creates nothing. */
export const isLocked = (file: string): boolean => {
  if (!existsSync(usersOf(file))) return false
  try {
    lockStore(file, "exclusive", 0).release()
  } catch (thrown) {
    return thrown instanceof StoreLockTaken
  }
  return false
}
