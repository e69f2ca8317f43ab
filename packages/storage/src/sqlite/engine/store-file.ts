/** A SQLite store's files, and whether a restore of the store was interrupted. */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readlinkSync, readSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { StorageNotOpened } from "../../storage-not-opened.js"

/** Suffixes of the files that SQLite creates next to a database. Left behind, they would change a later file of that name. */
export const siblings = ["-wal", "-shm", "-journal"] as const

/** The file and its siblings, if they exist. */
export const partsOf = (file: string): ReadonlyArray<string> =>
  ["", ...siblings].map((suffix) => `${file}${suffix}`).filter((part) => existsSync(part))

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    // The path cannot be examined, which the next attempt to open it reports.
    return false
  }
}

/** The maximum number of links to follow to a file, as on Linux (path_resolution(7)). */
const linksMaximum = 40

/** The file that a path leads to, even if it does not exist. Resolves links as SQLite does, so the logs are next to this file. */
export const fileBehind = (path: string, links = 0): string => {
  const absolute = resolve(path)
  if (existsSync(absolute)) return realpathSync(absolute)
  if (links < linksMaximum && isLink(absolute)) {
    return fileBehind(resolve(dirname(absolute), readlinkSync(absolute)), links + 1)
  }
  const folder = dirname(absolute)
  return folder === absolute ? absolute : join(fileBehind(folder, links), basename(absolute))
}

/** A file's name for SQLite, to open a file that no program changes. SQLite then neither locks the file nor reads a log. */
export const immutable = (file: string): string => `${pathToFileURL(file).href}?immutable=1`

/** Why a path cannot be a store. A folder, a device or a pipe must not be opened or moved. */
export const noFile = (file: string): string | undefined => {
  const stat = existsSync(file) ? statSync(file) : undefined
  if (stat === undefined || stat.isFile()) return undefined
  return `${file} is ${stat.isDirectory() ? "a folder" : "not a regular file"}. Specify the store's file.`
}

/** Like Node's `recursive` option, which never returns if a file system such as /proc reports ENOENT in an existing parent. */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (thrown) {
    // Another process may have created the folder.
    if (!existsSync(folder)) throw thrown
  }
}

/** The marker next to a store, from before the former store is moved until the new store is completely on disk. */
export const restoreMarker = (file: string): string => `${file}.restoring`

/** The empty file whose locks show which programs have the store open. */
export const usersOf = (file: string): string => `${file}-users`

/** The table of programs that have the store open through sqljs. The last program removes it. */
export const sqljsLockOf = (file: string): string => `${file}-lock`

/** A temporary second name for a store, to check whether the store's folder allows one. */
export const probeOf = (file: string): string => `${file}-probe`

/** Whether a store exists. An empty file does not count, although SQLite would create a store in it. */
export const isThere = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** A file's first bytes, which include the SQLite header. */
export const headOf = (file: string): Buffer => {
  const descriptor = openSync(file, "r")
  try {
    const head = Buffer.alloc(100)
    return head.subarray(0, readSync(descriptor, head))
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a file's header states WAL mode (https://sqlite.org/fileformat2.html#file_format_version_numbers). */
export const isWriteAhead = (file: string): boolean => isThere(file) && headOf(file)[19] === 2

/** A free name next to a store for what is no longer the store, with the time. */
export const nameAside = (store: string, why: "before-restore" | "replaced"): string => {
  const name = `${store}.${why}-${new Date().toISOString().replace(/[:.]/g, "-")}`
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (partsOf(candidate).length === 0 && !existsSync(logAside(candidate))) return candidate
  }
}

/** The name of a log or journal that was moved out of the way. SQLite would replay a log whose name ends in `-wal`. */
export const logAside = (aside: string): string => `${aside}.log`

/** Whether a store exists, existed, or is about to exist. */
export const hasTraces = (file: string): boolean =>
  isThere(file) ||
  [...siblings.map((suffix) => `${file}${suffix}`), usersOf(file), restoreMarker(file)].some((path) => existsSync(path))

export const missingStore = (path: string): StorageNotOpened => {
  const folder = dirname(resolve(path))
  const found = !existsSync(folder)
    ? `the folder ${folder} does not exist`
    : existsSync(path)
      ? `${basename(path)} in the folder ${folder} contains no store`
      : `the folder ${folder} has no file ${basename(path)}`
  return new StorageNotOpened({ reason: `There is no store at ${path}: ${found}.`, isMissing: true })
}

/** Why the store cannot be opened after an interrupted restore. The store may be missing or incomplete. */
export const interruptedRestore = (file: string): string | undefined =>
  existsSync(restoreMarker(file))
    ? `A restore of the store at ${file} was interrupted. Repeat it. The former store is at ${file} or next to it, as ${basename(file)}.before-restore-….`
    : undefined

/** Names next to a store that commands, the service or SQLite can use. */
export const ownNames = (file: string): ReadonlyArray<string> =>
  ["", ...siblings, "-users", "-lock", "-probe", ".unfinished", ".restoring"].map((suffix) => `${file}${suffix}`)

/** Why a store must not be created next to a log without a file. SQLite would delete the log and its acknowledged writes. */
export const logWithoutFile = (file: string): string | undefined => {
  // Looks at the file last: another program may create the store now.
  const logs = partsOf(file).filter((part) => part !== file && !part.endsWith("-shm") && isThere(part))
  // During a store's first transaction, a rollback journal is next to a file that is still empty.
  const log = logs.find((part) => part.endsWith("-wal") || !existsSync(file))
  return log === undefined || isThere(file)
    ? undefined
    : `There is no store at ${file}, but there is a store's log, ${basename(log)}. Put the store's file back, or move the log to another folder.`
}
