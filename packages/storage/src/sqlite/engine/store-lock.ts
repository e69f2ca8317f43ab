/**
 * Who has a store open. Every program that opens one holds a shared lock for as long as it
 * does; one of several that serve together also holds that of the writer; a restore takes the exclusive one. The kernel keeps both and drops them when a process
 * ends, however it ends.
 *
 * The lock is on a file of its own, which stays empty: it is the same for both engines, it can be had where
 * the store is damaged or missing, and it stays with the name of the store when the store is moved.
 */
import { dirname } from "node:path"
import { makePrivate } from "../../private-file.js"
import { faultOf } from "./errors.js"
import { makeFolder, usersOf } from "./store-file.js"

/** `shared`: beside others that have the store open. `writer`: beside them, as the one that writes for them. `exclusive`: alone. */
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
 * Takes a lock on the store in `file`, links followed, or throws `StoreLockTaken`. Throws what SQLite throws
 * where the lock cannot be made.
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
    // In memory: nothing is ever written, and what is killed leaves no journal behind that would have to be undone.
    connection.exec(`PRAGMA journal_mode = MEMORY; ${statements[kind]}`)
  } catch (thrown) {
    connection.close()
    throw faultOf(thrown).kind === "busy" ? new StoreLockTaken(`${file} is in use`, { cause: thrown }) : thrown
  }
  return { release: () => connection.close() }
}
