/** From an error of SQLite to a failure of the domain, or to a defect. */
import { StorageUnavailable } from "@petstore/core"
import { Exit } from "effect"

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

/** What went wrong in SQLite, as a value that can cross threads. */
export interface Fault {
  /** `busy`: another connection holds the lock; `away`: the store does not answer; `defect`: a bug of ours. */
  readonly kind: "busy" | "away" | "defect"
  readonly cause: Error
}

/** Classifies what SQLite threw. */
export const faultOf = (thrown: unknown): Fault => {
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined
  if (code === busy) return { kind: "busy", cause }
  return { kind: code !== undefined && unavailable.has(code) ? "away" : "defect", cause }
}

/** A store that does not answer is a failure; a bug dies as a defect. */
export const failWith = ({ kind, cause }: Fault): Exit.Exit<never, StorageUnavailable> =>
  kind === "defect" ? Exit.die(cause) : Exit.fail(new StorageUnavailable({ cause }))
