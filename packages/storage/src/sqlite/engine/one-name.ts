/**
 * One file, one name, one content. SQLite tells the log and the locks of a file by its name: under two names it would be two stores that
 * destroy each other, what is committed to a file without a name is gone when the process ends, and what is committed over a file that
 * another was copied to leaves neither of the two.
 */
import { randomInt } from "node:crypto"
import { linkSync, lstatSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { hasCode } from "../../publish-file.js"
import { type Fault, faultOf, isNoDatabase } from "./errors.js"
import { inTransaction } from "./roll-back.js"
import { probeOf } from "./store-file.js"

/** A class with the API of `DatabaseSync` of `node:sqlite`. */
export type DatabaseSyncClass = new (
  path: string,
  options: { readonly timeout: number; readonly readOnly?: boolean },
) => DatabaseSync

export interface FileIdentity {
  readonly name: string
  readonly dev: bigint
  readonly ino: bigint
  /** The number of the store, or 0 if it cannot be told by one. */
  readonly store: number
}

/** The file that a path leads to now, links followed. The service may stand in another folder later, so its name is whole. */
export const identityOf = (path: string): FileIdentity => {
  const name = resolve(path)
  const { dev, ino } = statSync(name, { bigint: true })
  return { name, dev, ino, store: 0 }
}

/** The number of a store is the `application_id` of SQLite: of all that SQLite keeps it alone is at one place of the file. A backup has none. */
const storeIn = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA application_id").get()?.["application_id"])

/** The number in a file itself, whatever its log says; 0 if it holds no store, and nothing if that cannot be told now. */
const storeOnDisk = (Sqlite: DatabaseSyncClass, file: string): number | undefined => {
  try {
    // Not by reading the file: when any descriptor of it is closed, POSIX takes the locks of SQLite away.
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

/** The identity of a file whose connection has the schema, with the number of the store. */
export const numbered = (Sqlite: DatabaseSyncClass, connection: DatabaseSync, identity: FileIdentity): FileIdentity => {
  try {
    giveNumber(connection)
    const store = storeIn(connection)
    const isOnDisk = (): boolean => storeOnDisk(Sqlite, identity.name) === store
    if (!isOnDisk()) connection.exec("PRAGMA wal_checkpoint")
    return isOnDisk() ? { ...identity, store } : identity
  } catch {
    // A store that keeps no writes now serves reads, and gets its number later.
    return identity
  }
}

/**
 * Whether a file is a mount of its own, as a container has it that was given the file alone: then it cannot get a second name in its
 * folder. Other failures tell nothing of mounts, and there are file systems without links.
 */
const isMountedAlone = (file: string): boolean => {
  try {
    linkSync(file, probeOf(file))
    // Ours, whatever it looks like: an overlay file system that copies the file for it gives the two names two numbers.
    rmSync(probeOf(file), { force: true })
    return false
  } catch (thrown) {
    return hasCode(thrown, "EXDEV")
  }
}

/** The same without a probe, which is a change: where Linux lists its mounts, with spaces as it writes them. */
const isListedMount = (file: string): boolean => {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8").includes(` ${file.replaceAll(" ", "\\040")} `)
  } catch {
    return false
  }
}

/** Whether a probe is there, also one that a killed process left. */
const hasProbe = (file: string): boolean => {
  const probe = lstatSync(probeOf(file), { throwIfNoEntry: false })
  if (probe === undefined) return false
  const { dev, ino } = statSync(file)
  return probe.dev === dev && probe.ino === ino
}

/** How often names are counted: another process that opens the store has its probe for some microseconds. */
const countsMaximum = 20

/** How many names a file has, without a probe. */
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

/** Why the store in this file may not be opened, if it is there under another name too. */
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

/** Whether an open store still has its name. What was seen to be lost stays lost: what came back may have been changed. */
export interface Name {
  /** Looks, and answers why the store cannot be used any more. */
  readonly look: () => Fault | undefined
  /** Why it cannot, as far as was seen. */
  readonly lost: () => Fault | undefined
}

const removed = (name: string): Fault => ({
  kind: "away",
  cause: new Error(`${name} was removed or replaced under the service. Start it again.`),
  reason: "The file of the store was removed or replaced. The service has to be started again.",
})

/** Watches whether the name of an open file still leads to it, and to the same store. */
export const watchName = (Sqlite: DatabaseSyncClass, { name, dev, ino, store }: FileIdentity): Name => {
  let lost: Fault | undefined
  let changedNanos: bigint | undefined

  /** A checkpoint changes the file too, so what is in it is looked at once after each change. */
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
      if (now.dev === dev && now.ino === ino && !isOther(now.mtimeNs)) return undefined
    } catch (thrown) {
      // A disk that does not answer tells nothing of names, and nothing can be vouched for meanwhile.
      if (!hasCode(thrown, "ENOENT", "ENOTDIR")) return { kind: "away", cause: faultOf(thrown).cause }
    }
    lost = removed(name)
    return lost
  }
  return { look, lost: () => lost }
}

/** A store in memory has no name that it could lose. */
export const noName: Name = { look: () => undefined, lost: () => undefined }
