/** Turns SQLite errors into domain failures or defects. */
import { accessSync, constants } from "node:fs"
import { dirname, resolve } from "node:path"
import { StorageUnavailable } from "@petstore/core"
import * as Exit from "effect/Exit"
import { hasCode } from "../../publish-file.js"
import { freeBytes, isWritable, scarceBytes, temporaryFolder } from "./room.js"

/** Primary result codes (https://sqlite.org/rescode.html) that concern the store and not our SQL. */
const codes = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_NOMEM: 7,
  SQLITE_READONLY: 8,
  SQLITE_INTERRUPT: 9,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_NOLFS: 22,
  SQLITE_NOTADB: 26,
}

const unavailable: ReadonlySet<number> = new Set(Object.values(codes))

const codeOf = (thrown: unknown): number | undefined =>
  thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined

/** A SQLite error as a value that can cross threads. */
export interface Fault {
  /** `busy`: another connection holds the lock; `unavailable`: the database is unavailable; `defect`: a bug in our code. */
  readonly kind: "busy" | "unavailable" | "defect"
  readonly cause: Error
  /** A message for callers, if there is more to report than that the store is unavailable. */
  readonly reason?: string
}

/** The reason of a fault that later attempts cannot avoid. */
const damaged = "The store is damaged. Its operator has to restore a backup."

export const isDamage = ({ reason }: Fault): boolean => reason === damaged

export const faultOf = (thrown: unknown): Fault => {
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = codeOf(thrown)
  if (code === codes.SQLITE_BUSY) return { kind: "busy", cause }
  if (code === codes.SQLITE_CORRUPT || code === codes.SQLITE_NOTADB) return { kind: "unavailable", cause, reason: damaged }
  return { kind: code !== undefined && unavailable.has(code) ? "unavailable" : "defect", cause }
}

export const isDiskFull = (thrown: unknown): boolean => codeOf(thrown) === codes.SQLITE_FULL
export const isNotADatabase = (thrown: unknown): boolean => codeOf(thrown) === codes.SQLITE_NOTADB

/** The folder whose disk is full: SQLite's folder for temporary files if only that disk is full, otherwise the store's folder. */
const fullFolder = (folder: string): string => {
  try {
    const temporary = temporaryFolder()
    return freeBytes(folder) >= scarceBytes && freeBytes(temporary) < scarceBytes ? temporary : folder
  } catch {
    return folder
  }
}

/** SQLite reports the same error for a missing permission and for a read-only file system. */
const remedyOfUse = (path: string, ofUser: string): string => {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (thrown) {
    if (hasCode(thrown, "EROFS")) return remedyOfMount(path)
  }
  return `${ofUser}: ls -ld ${dirname(path)} ${path}`
}

const remedyOfMount = (path: string): string =>
  `Its file system is mounted read-only. Mount it for writing, or find out why it is not: findmnt -T ${dirname(path)}; dmesg`

/** What an operator can do about a SQLite error, by its message, because messages cross threads, but error codes do not. */
const remedies: ReadonlyArray<readonly [said: RegExp, remedy: (path: string) => string]> = [
  [/unable to open database file/, (path) => remedyOfUse(path, "This user is not allowed to open the file or its folder")],
  [/EROFS/, remedyOfMount],
  [/readonly database|EACCES|EPERM/, (path) => remedyOfUse(path, "This user lacks a permission on the file or its folder")],
  [/\bmkdir\b|ENOTDIR|ELOOP/, () => "No store can be created there: choose another location."],
  [/disk is full|ENOSPC|EDQUOT/, (path) => `Make room: df -h ${fullFolder(dirname(path))}`],
  [
    /disk I\/O error/,
    (path) =>
      isWritable(temporaryFolder())
        ? `Check whether the disk is full or failing: df -h ${dirname(path)}; dmesg`
        : "SQLite needs a writable folder for temporary files: set SQLITE_TMPDIR to one.",
  ],
  [/malformed|not a database/, () => "It is damaged or not a store. Restore a backup."],
  [/is locked/, (path) => `Another program holds its lock: fuser ${path}`],
]

/** Describes a SQLite error, with its file and what to do. */
export const explain = (thrown: unknown, path: string): string => {
  const said = thrown instanceof Error ? thrown.message : String(thrown)
  const remedy = remedies.find(([pattern]) => pattern.test(said))?.[1](resolve(path))
  const sentence = said.endsWith(".") ? said : `${said}.`
  return remedy === undefined ? sentence : `${sentence} ${remedy}`
}

/** Turns an unavailable database into a failure and a bug into a defect. `path` is the database file. */
export const failWith = ({ kind, cause, reason }: Fault, path?: string): Exit.Exit<never, StorageUnavailable> => {
  if (kind === "defect") return Exit.die(cause)
  // Without a `cause`, because loggers would append its message, which this message already contains.
  const explained = path === undefined ? cause : new Error(`${path}: ${explain(cause, path)}`)
  // SQLite rolls these transactions back. After an I/O error, the next start may find the commit in the log.
  const isUndone = kind === "busy" || isDiskFull(cause) || reason === damaged
  return Exit.fail(
    new StorageUnavailable({ cause: explained, ...(reason !== undefined && { reason }), ...(isUndone && { isUndone }) }),
  )
}
