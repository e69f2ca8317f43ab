/**
 * One file, one name, one content. SQLite finds the log and the locks of a file by its name: under two names it would be two
 * stores that destroy each other. Commits to a file without a name are lost when the process ends. Commits over a file that
 * another was copied to destroy both.
 */
import { randomInt } from "node:crypto"
import { existsSync, linkSync, lstatSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { hasCode } from "../../publish-file.js"
import { type Fault, faultOf, isNoDatabase } from "./errors.js"
import { inTransaction } from "./roll-back.js"
import { fileBehind, isWriteAhead, partsOf, probeOf, sqljsLockOf } from "./store-file.js"
import { isLocked } from "./store-lock.js"
import { askAgainMillis, openMillis } from "./waiting.js"

/** A class with the API of `DatabaseSync` of `node:sqlite`. */
export type DatabaseSyncClass = new (
  path: string,
  options: { readonly timeout: number; readonly readOnly?: boolean },
) => DatabaseSync

interface OpenFile {
  readonly name: string
  readonly dev: bigint
  readonly ino: bigint
}

export interface FileIdentity extends OpenFile {
  /** The number of the store, or 0 without one. */
  readonly store: number
  /** The log, which has commits that the file does not have yet, and the index by which processes share it. */
  readonly beside: ReadonlyArray<OpenFile>
}

const openFile = (name: string): OpenFile => {
  const { dev, ino } = statSync(name, { bigint: true })
  return { name, dev, ino }
}

/** The file that a path leads to now, with links resolved. Absolute, because the service may change its folder. */
export const identityOf = (path: string): FileIdentity => ({ ...openFile(resolve(path)), store: 0, beside: [] })

const isStillThere = ({ name, dev, ino }: OpenFile): boolean => {
  const now = statSync(name, { bigint: true, throwIfNoEntry: false })
  return now?.dev === dev && now.ino === ino
}

/** The number of a store is the `application_id` of SQLite: only this value has a fixed place in the file. A backup has none. */
const storeIn = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA application_id").get()?.["application_id"])

/** The number in a file itself, without its log; 0 if it holds no store, `undefined` if it is unknown now. */
const storeOnDisk = (Sqlite: DatabaseSyncClass, file: string): number | undefined => {
  try {
    // Not by reading the file: closing any of its descriptors drops the locks of SQLite (POSIX).
    const connection = new Sqlite(`${pathToFileURL(file).href}?immutable=1`, { timeout: 0, readOnly: true })
    try {
      return storeIn(connection)
    } finally {
      connection.close()
    }
  } catch (thrown) {
    return isNoDatabase(thrown) ? 0 : undefined
  }
}

/** Gives a store its number, unless it has one. */
export const giveNumber = (connection: DatabaseSync): void => {
  if (storeIn(connection) !== 0) return
  inTransaction(connection, () => {
    // Another process may have been faster.
    if (storeIn(connection) === 0) connection.exec(`PRAGMA application_id = ${randomInt(1, 2 ** 31)}`)
  })
}

/** The identity of a file with a write-ahead log, whose connection has the schema: with the number of the store, and what is beside it. */
export const numbered = (Sqlite: DatabaseSyncClass, connection: DatabaseSync, found: FileIdentity): FileIdentity => {
  const file = fileBehind(found.name)
  const beside = partsOf(file).filter((part) => part === `${file}-wal` || part === `${file}-shm`)
  const identity = { ...found, beside: beside.map(openFile) }
  try {
    giveNumber(connection)
    const store = storeIn(connection)
    const isOnDisk = (): boolean => storeOnDisk(Sqlite, identity.name) === store
    if (!isOnDisk()) connection.exec("PRAGMA wal_checkpoint")
    return isOnDisk() ? { ...identity, store } : identity
  } catch {
    // A store that accepts no writes now serves reads, and gets its number later.
    return identity
  }
}

/**
 * Whether a file is itself a mount point, as in a container that mounts the file alone: then it cannot get a second name in its
 * folder. Other failures say nothing about mounts, and some file systems have no links.
 */
const isMountedAlone = (file: string): boolean => {
  try {
    linkSync(file, probeOf(file))
    // Ours in any case: an overlay file system may copy the file, so that the two names have different inodes.
    rmSync(probeOf(file), { force: true })
    return false
  } catch (thrown) {
    return hasCode(thrown, "EXDEV")
  }
}

/** The same without a probe, which would be a change: by the list of mounts of Linux, with its escape of spaces. */
const isListedMount = (file: string): boolean => {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8").includes(` ${file.replaceAll(" ", "\\040")} `)
  } catch {
    return false
  }
}

/** Whether a probe exists, also of a killed process. */
const hasProbe = (file: string): boolean => {
  const probe = lstatSync(probeOf(file), { throwIfNoEntry: false })
  if (probe === undefined) return false
  const { dev, ino } = statSync(file)
  return probe.dev === dev && probe.ino === ino
}

/** How often names are counted: another process that opens the store has a probe for some microseconds. */
const countsMaximum = 20

/** The number of names of a file, without a probe. */
const namesOf = (file: string, isReadOnly: boolean): number => {
  let names = 1
  for (let count = 0; count < countsMaximum; count += 1) {
    const isProbed = hasProbe(file)
    if (isProbed && !isReadOnly) rmSync(probeOf(file), { force: true })
    names = statSync(file).nlink - (isProbed && isReadOnly ? 1 : 0)
    if (names <= 1) break
  }
  return names
}

/** Why the store in this file may not be opened, if it has another name too. */
export const secondName = (file: string, isReadOnly = false): string | undefined => {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  if (isReadOnly ? isListedMount(file) : isMountedAlone(file)) {
    return `${file} is mounted without its folder, and its log would stay behind in ${dirname(file)}: what is acknowledged would be lost. Mount the folder of the store instead.`
  }
  const names = namesOf(file, isReadOnly)
  return names <= 1
    ? undefined
    : `${file} has ${names} names, and under each it would be another store. Remove the others: find / -samefile ${file}`
}

/** Whether another connection has a file open that uses a write-ahead log: each holds a lock on the file itself. */
const isOpenElsewhere = (file: string): boolean => {
  const native = process.getBuiltinModule?.("node:sqlite")
  if (native === undefined) return false
  try {
    const connection = new native.DatabaseSync(file, { timeout: 0 })
    try {
      // The exclusive mode locks the file before it looks for a log.
      connection.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema")
    } finally {
      connection.close()
    }
  } catch (thrown) {
    return faultOf(thrown).kind === "busy"
  }
  return false
}

/** The log or its index was removed under a program: SQLite would begin another log, and what is in the first would be lost. */
const lostLog = (file: string, isReadOnly: boolean): string | undefined => {
  const hasLog = existsSync(`${file}-wal`)
  // With a log the look at the locks would change the file.
  if (hasLog && (isReadOnly || existsSync(`${file}-shm`))) return undefined
  // The log of a file with two names lies beside the other name.
  if (!isWriteAhead(file) || secondName(file, true) !== undefined || !isOpenElsewhere(file)) return undefined
  return `The log of the store at ${file} was removed under a program that uses it, and has what the file does not have yet. Stop that program first.`
}

/** Native SQLite and sqljs do not see the locks of each other: on one file they overwrite what the other acknowledged. */
const openInSqljs = (file: string): string | undefined =>
  isWriteAhead(file) || !existsSync(sqljsLockOf(file)) || !isLocked(file)
    ? undefined
    : `A program has the store at ${file} open as sqljs:${file}, which cannot share it with SQLite. Stop that program, or name the store as it does.`

/** What opens a store. */
export interface Opener {
  readonly isNative: boolean
  readonly isReadOnly: boolean
}

/** Why a store may not be opened beside the programs that use it. Waits for those that only open or close it now. */
export const inTheWay = async (file: string, { isNative, isReadOnly }: Opener): Promise<string | undefined> => {
  const tooLate = performance.now() + openMillis
  for (;;) {
    const reason = lostLog(file, isReadOnly) ?? (isNative ? openInSqljs(file) : undefined)
    if (reason === undefined || performance.now() >= tooLate) return reason
    await new Promise((resolve) => setTimeout(resolve, askAgainMillis))
  }
}

/** Whether an open store still has its name. A lost name stays lost, because a file that returns may have been changed. */
export interface Name {
  /** Checks, and returns why the store cannot be used any more. */
  readonly look: () => Fault | undefined
  /** Why it cannot, by the last check. */
  readonly lost: () => Fault | undefined
}

const removed = (name: string): Fault => ({
  kind: "away",
  cause: new Error(`${name} was removed or replaced under the service. Start it again.`),
  reason: "The file of the store was removed or replaced. The service has to be started again.",
})

/** Watches whether the name of an open file still leads to it, and to the same store. */
export const watchName = (Sqlite: DatabaseSyncClass, { name, dev, ino, store, beside }: FileIdentity): Name => {
  let lost: Fault | undefined
  let changedNanos: bigint | undefined

  /** A checkpoint changes the file too, so its content is checked once after each change. */
  const isOther = (mtimeNs: bigint): boolean => {
    if (store === 0 || mtimeNs === changedNanos) return false
    const now = storeOnDisk(Sqlite, name)
    if (now === store) changedNanos = mtimeNs
    return now !== undefined && now !== store
  }

  const look = (): Fault | undefined => {
    if (lost !== undefined) return lost
    try {
      const now = statSync(name, { bigint: true })
      const isSame = now.dev === dev && now.ino === ino && !isOther(now.mtimeNs)
      const gone = isSame ? beside.find((file) => !isStillThere(file)) : { name }
      if (gone === undefined) return undefined
      lost = removed(gone.name)
    } catch (thrown) {
      // An unresponsive disk says nothing about names, so no commit may be acknowledged meanwhile.
      if (!hasCode(thrown, "ENOENT", "ENOTDIR")) return { kind: "away", cause: faultOf(thrown).cause }
      lost = removed(name)
    }
    return lost
  }
  return { look, lost: () => lost }
}

/** A store in memory has no name to lose. */
export const noName: Name = { look: () => undefined, lost: () => undefined }
