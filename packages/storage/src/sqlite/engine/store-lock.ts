/**
 * Locks on open stores. Every program that opens a store holds a shared lock, and the one process that serves the store holds
 * the service lock. A restore takes the exclusive lock. The kernel drops a process's locks when the process exits. The lock is
 * on a separate empty file. It therefore works the same for both engines and for a damaged or missing store, and it stays with
 * the store's name when the store is moved.
 */
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { makePrivate } from "../../private-file.js"
import { faultOf } from "./errors.js"
import { makeFolder, usersOf } from "./store-file.js"

const statements = {
  shared: "BEGIN; SELECT 1 FROM sqlite_schema",
  service: "BEGIN IMMEDIATE",
  exclusive: "BEGIN EXCLUSIVE",
}

export class StoreLockTaken extends Error {}

export interface StoreLock {
  readonly release: () => void
}

export const noLock: StoreLock = { release: () => {} }

/**
 * Takes a lock on the store in `file`, with links resolved, or throws `StoreLockTaken`. Throws a SQLite error if locking is
 * impossible. Node has no file locks, so this function uses SQLite's locks on another file. Without `node:sqlite`, nothing is
 * locked. No restore runs there, because the `petstore` command needs `node:sqlite`.
 */
export const lockStore = (file: string, kind: keyof typeof statements, timeoutMillis: number): StoreLock => {
  const native = process.getBuiltinModule?.("node:sqlite")
  if (native === undefined) return noLock
  makeFolder(dirname(file))
  makePrivate(usersOf(file), file)
  const connection = new native.DatabaseSync(usersOf(file), { timeout: timeoutMillis })
  try {
    // The journal is in memory, so a killed process leaves no journal behind.
    connection.exec(`PRAGMA journal_mode = MEMORY; ${statements[kind]}`)
  } catch (thrown) {
    connection.close()
    throw faultOf(thrown).kind === "busy" ? new StoreLockTaken(`${file} is in use`, { cause: thrown }) : thrown
  }
  return { release: () => connection.close() }
}

const isTaken = (file: string, kind: keyof typeof statements): boolean => {
  try {
    lockStore(file, kind, 0).release()
  } catch (thrown) {
    return thrown instanceof StoreLockTaken
  }
  return false
}

/** Whether a program has the store open. The check creates no file. */
export const isLocked = (file: string): boolean => existsSync(usersOf(file)) && isTaken(file, "exclusive")

/** Whether no program may open the store, as during a restore. */
export const isRestored = (file: string): boolean => isTaken(file, "shared")
