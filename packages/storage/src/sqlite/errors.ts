/** From an error of SQLite to a failure of the domain, or to a defect. */
import { StorageUnavailable } from "@petstore/core"
import { Effect } from "effect"

/**
 * Primary result codes (https://sqlite.org/rescode.html) that speak of the store
 * and not of our SQL: locked, out of memory or disk, not readable or writable, damaged.
 */
const unavailable: ReadonlySet<number> = new Set([
  3, // SQLITE_PERM
  5, // SQLITE_BUSY
  6, // SQLITE_LOCKED
  7, // SQLITE_NOMEM
  8, // SQLITE_READONLY
  9, // SQLITE_INTERRUPT
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
  15, // SQLITE_PROTOCOL
  22, // SQLITE_NOLFS
  26, // SQLITE_NOTADB
])

const busy = 5

/** The primary result code of an error of SQLite, `undefined` for any other value. */
const primaryCode = (thrown: unknown): number | undefined =>
  thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined

/** Whether another connection holds the lock: the same attempt may succeed in a moment. */
export const isBusy = (thrown: unknown): boolean => primaryCode(thrown) === busy

/** A store that does not answer is a failure; anything else that is thrown is a bug, and dies as a defect. */
export const toFailure = (thrown: unknown): Effect.Effect<never, StorageUnavailable> => {
  const code = primaryCode(thrown)
  return code !== undefined && unavailable.has(code) ? Effect.fail(new StorageUnavailable({ cause: thrown })) : Effect.die(thrown)
}
