/**
 * Ensures that a store is one file with one name and unchanged content. SQLite finds a file's log and locks by its name, so a
 * file with two names would be two stores that destroy each other. Commits to a file whose name was removed are lost when the
 * process exits. If another store was copied over the file, further commits destroy both.
 */
import { randomInt } from "node:crypto"
import { existsSync, linkSync, lstatSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { isDeepStrictEqual } from "node:util"
import { hasCode } from "../../publish-file.js"
import { inTransaction, thenClose } from "./connection.js"
import { type Fault, faultOf, isNotADatabase } from "./errors.js"
import { foreignLog } from "./log-owner.js"
import { fileBehind, headOf, immutable, isThere, isWriteAhead, partsOf, probeOf, sqljsLockOf } from "./store-file.js"
import { isLocked } from "./store-lock.js"
import { askAgainMillis, openMillis } from "./waiting.js"

/** A class with the API of `node:sqlite`'s `DatabaseSync`. */
export type DatabaseSyncClass = new (
  path: string,
  options: { readonly timeout: number; readonly readOnly?: boolean },
) => DatabaseSync

export interface OpenFile {
  readonly name: string
  readonly dev: bigint
  readonly ino: bigint
}

export interface FileIdentity extends OpenFile {
  /** The file itself, with links resolved. */
  readonly file: string
  /** The file's content when it was opened, if it had a number. */
  readonly content: Content | undefined
  /** The log, with commits that are not in the file yet, and the shared-memory index through which processes share the log. */
  readonly beside: ReadonlyArray<OpenFile>
}

const openFile = (name: string): OpenFile => {
  const { dev, ino } = statSync(name, { bigint: true })
  return { name, dev, ino }
}

/** The file that a path leads to now. The name is absolute, because the service can change its working directory. */
export const identityOf = (path: string): FileIdentity => ({
  ...openFile(resolve(path)),
  file: fileBehind(path),
  content: undefined,
  beside: [],
})

export const isStillThere = ({ name, dev, ino }: OpenFile): boolean => {
  const now = statSync(name, { bigint: true, throwIfNoEntry: false })
  return now?.dev === dev && now.ino === ino
}

/** A store's number is SQLite's `application_id`, the only value at a fixed position in the file. A backup has no number. */
export const storeIn = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA application_id").get()?.["application_id"])

/** What a file itself says of its content, without its log. */
interface Content {
  readonly number: number
  /** SQLite raises this value with each change of the schema. A copy made by SQLite's backup or `VACUUM` has another one. */
  readonly schema: number
  /** With a rollback journal, SQLite raises this value with each transaction. */
  readonly changes: number
}

const noStore: Content = { number: 0, schema: 0, changes: 0 }

/** The content of the file itself, without its log; `undefined` if it cannot be read now. */
const contentOnDisk = (Sqlite: DatabaseSyncClass, file: string, hasLog: boolean): Content | undefined => {
  try {
    if (!hasLog) {
      const head = headOf(file)
      return head.length < 100
        ? noStore
        : { number: head.readUInt32BE(68), schema: head.readUInt32BE(40), changes: head.readUInt32BE(24) }
    }
    // Does not read the file directly: with POSIX locks, closing any descriptor of the file drops SQLite's locks.
    return thenClose(new Sqlite(immutable(file), { timeout: 0, readOnly: true }), (connection) => ({
      number: storeIn(connection),
      schema: schemaIn(connection),
      changes: 0,
    }))
  } catch (thrown) {
    return isNotADatabase(thrown) ? noStore : undefined
  }
}

const schemaIn = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA schema_version").get()?.["schema_version"])

/** Random numbers are below this one, so that a store's number can be raised for as long as the store is used. */
const numbers = 2 ** 30

export const giveNumber = (connection: DatabaseSync): void => {
  // If there is a log, it must contain the file's own number before another one.
  for (const number of [0, randomInt(1, numbers)]) {
    if (storeIn(connection) !== 0) return
    inTransaction(connection, () => {
      // Another process may have been faster.
      if (storeIn(connection) === 0) connection.exec(`PRAGMA application_id = ${number}`)
    })
  }
}

/** Writes that mark the log, so that it is recognised next to another file: see `log-owner.ts`. */
export const logWrites = (connection: DatabaseSync) => ({
  /** Writes the store's number, raised or as it is. */
  markLog: (raise: 0 | 1): void => {
    const number = storeIn(connection)
    if (number !== 0) connection.exec(`PRAGMA application_id = ${number + raise}`)
  },
})

/** How often a number may have been raised since it was read last. */
const raisedMaximum = 2 ** 20

/** Whether a file's number is that of the store with this former number. An older copy of the store has a lower number. */
export const isSameStore = (number: number, former: number): boolean => number >= former && number - former < raisedMaximum

/** Adds the store's number and its log files to the identity of a file in WAL mode. The connection must have read the schema. */
export const numbered = (Sqlite: DatabaseSyncClass, connection: DatabaseSync, found: FileIdentity): FileIdentity => {
  const { file } = found
  const beside = partsOf(file).filter((part) => part === `${file}-wal` || part === `${file}-shm`)
  const identity = { ...found, beside: beside.map(openFile) }
  try {
    giveNumber(connection)
    const content = (): Content | undefined => contentOnDisk(Sqlite, identity.name, beside.length > 0)
    if (content()?.number !== storeIn(connection)) connection.exec("PRAGMA wal_checkpoint")
    const now = content()
    return now === undefined || now.number === 0 ? identity : { ...identity, content: now }
  } catch {
    // A store that currently accepts no writes still serves reads, and is assigned its number later.
    return identity
  }
}

/**
 * Whether the file is itself a mount point, as in a container that mounts only the file, so that a link in its folder fails.
 * Other errors reveal nothing about mounts.
 */
const isMountedAlone = (file: string): boolean => {
  try {
    linkSync(file, probeOf(file))
    // The probe is always ours, even if its inode differs: an overlay file system can copy the file for the second name.
    rmSync(probeOf(file), { force: true })
    return false
  } catch (thrown) {
    return hasCode(thrown, "EXDEV")
  }
}

/** Checks for a mount point without a probe, which would change the folder. Linux's list of mounts contains escaped spaces. */
const isListedMount = (file: string): boolean => {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8").includes(` ${file.replaceAll(" ", "\\040")} `)
  } catch {
    return false
  }
}

/** Whether a probe exists, perhaps left behind by a killed process. */
const hasProbe = (file: string): boolean => {
  const probe = lstatSync(probeOf(file), { throwIfNoEntry: false })
  if (probe === undefined) return false
  const { dev, ino } = statSync(file)
  return probe.dev === dev && probe.ino === ino
}

/** The maximum number of times to count the names. A process that opens the store has a probe for a few microseconds. */
const countsMaximum = 20

/** The number of a file's names, not counting a probe. */
const namesOf = (file: string, isReadOnly: boolean): number => {
  for (let count = 1; ; count += 1) {
    const isProbed = hasProbe(file)
    if (isProbed && !isReadOnly) rmSync(probeOf(file), { force: true })
    const names = statSync(file).nlink - (isProbed && isReadOnly ? 1 : 0)
    if (names <= 1 || count === countsMaximum) return names
  }
}

/** Why the store in this file must not be opened: the file has another name, or is mounted without its folder. */
export const secondName = (file: string, isReadOnly = false): string | undefined => {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  if (isReadOnly ? isListedMount(file) : isMountedAlone(file)) {
    return `${file} is mounted without its folder, and its log would stay behind in ${dirname(file)}: acknowledged writes would be lost. Mount the folder of the store instead.`
  }
  const names = namesOf(file, isReadOnly)
  return names <= 1
    ? undefined
    : `${file} has ${names} names, and each name would be a separate store. Remove the other names: find / -samefile ${file}`
}

/** Whether another connection has a file with a write-ahead log open. Every connection holds a lock on the file itself. */
const isOpenElsewhere = (file: string): boolean => {
  const native = process.getBuiltinModule?.("node:sqlite")
  if (native === undefined) return false
  try {
    // In exclusive mode, SQLite locks the file before it looks for a log.
    const lock = "PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema"
    thenClose(new native.DatabaseSync(file, { timeout: 0 }), (connection) => connection.exec(lock))
  } catch (thrown) {
    return faultOf(thrown).kind === "busy"
  }
  return false
}

/** The error if a program's log or its index was removed: SQLite would start another log, and lose the first one's commits. */
const lostLog = (file: string, isReadOnly: boolean): string | undefined => {
  const hasLog = existsSync(`${file}-wal`)
  // Checking the locks would replay the log of a former file.
  if (foreignLog(file) !== undefined) return undefined
  // If there is a log, checking the locks would change the file.
  if (hasLog && (isReadOnly || existsSync(`${file}-shm`))) return undefined
  // If the file has two names, its log can be next to the other name.
  if (!isWriteAhead(file) || secondName(file, true) !== undefined || !isOpenElsewhere(file)) return undefined
  return `The log of the store at ${file} was removed while a program was using it, and has changes that are not in the file yet. Stop that program first.`
}

/** Native SQLite and sqljs do not see each other's locks, so they would overwrite each other's acknowledged writes. */
const openInSqljs = (file: string): string | undefined =>
  isWriteAhead(file) || !existsSync(sqljsLockOf(file)) || !isLocked(file)
    ? undefined
    : `A program has the store at ${file} open as sqljs:${file}, and sqljs cannot share a store with SQLite. Stop that program, or use the same URL as that program.`

export interface Opener {
  readonly isNative: boolean
  readonly isReadOnly: boolean
}

/** Why a store must not be opened while other programs use it. Waits for programs that are only opening or closing the store. */
export const inTheWay = async (file: string, { isNative, isReadOnly }: Opener): Promise<string | undefined> => {
  const tooLate = performance.now() + openMillis
  for (;;) {
    const reason = lostLog(file, isReadOnly) ?? (isNative ? openInSqljs(file) : undefined)
    if (reason === undefined || performance.now() >= tooLate) return reason
    await new Promise((resolve) => setTimeout(resolve, askAgainMillis))
  }
}

/**
 * What became of a file that was opened:
 *
 * - `kept`: it is still there with its content, even if its log or a link to it was replaced
 * - `overwritten`: it has other content
 * - `replaced`: another file has its name
 * - `removed`: its name leads to no content
 */
export type Fate = "kept" | "overwritten" | "replaced" | "removed"

/** Whether an open store still has its name. A lost name stays lost, because a file that reappears may have been changed. */
export interface Name {
  /** Checks the name, and returns why the store can no longer be used. */
  readonly look: () => Fault | undefined
  /** Why the store can no longer be used, as of the last check. */
  readonly lost: () => Fault | undefined
  /** What became of the file, as of now. */
  readonly fate: () => Fate
}

const removed = (name: string): Fault => ({
  kind: "unavailable",
  cause: new Error(`${name} was removed or replaced while it was in use.`),
  reason: "The store's file was removed or replaced. The service restarts once the new file is complete.",
})

/** Watches whether the name of an open file still leads to that file, and to the same store. */
export const watchName = (
  Sqlite: DatabaseSyncClass,
  connection: DatabaseSync,
  { name, file, dev, ino, content, beside }: FileIdentity,
): Name => {
  let lost: Fault | undefined
  let changedNanos: bigint | undefined
  let known = content

  const isOfStore = (now: Content, former: Content): boolean =>
    isSameStore(now.number, former.number) &&
    now.schema >= former.schema &&
    (now.schema === former.schema || now.schema <= schemaIn(connection)) &&
    now.changes >= former.changes

  /**
   * Whether no rollback can undo what the file says of its content. A journal exists for as long as a rollback is possible, even
   * after a failed one. Another program may have rolled back since the file was read. With a log, a rollback does not change the file.
   */
  const isCommitted = (path: string, read: Content): boolean =>
    beside.length > 0 || (!existsSync(`${file}-journal`) && isDeepStrictEqual(contentOnDisk(Sqlite, path, false), read))

  /**
   * Whether the file has the content of another store, or an older copy of this one; `undefined` if it cannot be read now, or if
   * its content is not final.
   */
  const isOther = (path: string): boolean | undefined => {
    if (known === undefined) return false
    const now = contentOnDisk(Sqlite, path, beside.length > 0)
    if (now === undefined) return undefined
    if (!isOfStore(now, known)) return true
    if (!isCommitted(path, now)) return undefined
    known = now
    return false
  }

  /** A checkpoint also changes the file's modification time, so the content is checked once after each change. */
  const wasOverwritten = (mtimeNs: bigint): boolean => {
    if (mtimeNs === changedNanos) return false
    const isOverwritten = isOther(name)
    if (isOverwritten === false) changedNanos = mtimeNs
    return isOverwritten === true
  }

  const look = (): Fault | undefined => {
    if (lost !== undefined) return lost
    try {
      const now = statSync(name, { bigint: true })
      const isSame = now.dev === dev && now.ino === ino && !wasOverwritten(now.mtimeNs)
      const gone = isSame ? beside.find((file) => !isStillThere(file)) : { name }
      if (gone === undefined) return undefined
      lost = removed(gone.name)
    } catch (thrown) {
      // While a disk is failing, the name cannot be checked, so the store must not acknowledge a commit.
      if (!hasCode(thrown, "ENOENT", "ENOTDIR")) return { kind: "unavailable", cause: faultOf(thrown).cause }
      lost = removed(name)
    }
    return lost
  }
  const fate = (): Fate => {
    if (!isThere(file)) return "removed"
    if (!isStillThere({ name: file, dev, ino })) return "replaced"
    return isOther(file) === true ? "overwritten" : "kept"
  }
  return { look, lost: () => lost, fate }
}

/** For an in-memory store, which has no name to lose. */
export const noName: Name = { look: () => undefined, lost: () => undefined, fate: () => "kept" }
