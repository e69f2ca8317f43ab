/** The files of a SQLite store, and whether a restore of it was interrupted. */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readlinkSync, readSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { StorageNotOpened } from "../../storage-not-opened.js"

/** Files that SQLite puts beside a file. They would change another file of the same name. */
export const siblings = ["-wal", "-shm", "-journal"] as const

/** The file and the existing files beside it. */
export const partsOf = (file: string): ReadonlyArray<string> =>
  ["", ...siblings].map((suffix) => `${file}${suffix}`).filter((part) => existsSync(part))

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    // The folder does not exist: opening it reports that.
    return false
  }
}

/** The maximum number of links on the way to a file, as in Linux (path_resolution(7)). */
const linksMaximum = 40

/**
 * The file that a path leads to, with symbolic links resolved, even if it does not exist. SQLite resolves them too: logs are
 * beside it.
 */
export const fileBehind = (path: string, links = 0): string => {
  const absolute = resolve(path)
  if (existsSync(absolute)) return realpathSync(absolute)
  if (links < linksMaximum && isLink(absolute)) {
    const target = readlinkSync(absolute)
    return fileBehind(isAbsolute(target) ? target : join(dirname(absolute), target), links + 1)
  }
  const folder = dirname(absolute)
  return folder === absolute ? absolute : join(fileBehind(folder, links), basename(absolute))
}

/** Why a path cannot be a store: a folder, a device and a pipe must not be opened or moved. */
export const noFile = (file: string): string | undefined => {
  const stat = existsSync(file) ? statSync(file) : undefined
  if (stat === undefined || stat.isFile()) return undefined
  return `${file} is ${stat.isDirectory() ? "a folder" : "not a regular file"}. Name the file of the store.`
}

/**
 * Creates a folder with missing parents. `recursive` of Node.js never ends if a file system reports ENOENT for a folder in an
 * existing parent, such as /proc.
 */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (thrown) {
    // Another process may have created it.
    if (!existsSync(folder)) throw thrown
  }
}

/**
 * The marker beside a store during a restore. It exists from before the former store is moved until the new one is completely on
 * the disk.
 */
export const restoreMarker = (file: string): string => `${file}.restoring`

/** The empty file whose locks show which programs have the store open. */
export const usersOf = (file: string): string => `${file}-users`

/** The table of the programs that have the store open with sqljs. The last one removes it. */
export const sqljsLockOf = (file: string): string => `${file}-lock`

/** A temporary second name of a store, to check whether its folder allows one. */
export const probeOf = (file: string): string => `${file}-probe`

/** Whether a store exists. An empty file does not count, although SQLite would create one in it. */
export const isThere = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** The first bytes of a file, with the header of SQLite. */
export const headOf = (file: string): Buffer => {
  const descriptor = openSync(file, "r")
  try {
    const head = Buffer.alloc(100)
    return head.subarray(0, readSync(descriptor, head))
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a file uses a write-ahead log, by its header (https://sqlite.org/fileformat2.html#file_format_version_numbers). */
export const isWriteAhead = (file: string): boolean => isThere(file) && headOf(file)[19] === 2

/** Whether a store exists, existed, or is about to exist. */
export const hasTraces = (file: string): boolean =>
  isThere(file) ||
  [...siblings.map((suffix) => `${file}${suffix}`), usersOf(file), restoreMarker(file)].some((path) => existsSync(path))

/** Refuses to open a missing store: names the place, and what to do. */
export const missingStore = (path: string): StorageNotOpened => {
  const folder = dirname(resolve(path))
  const found = !existsSync(folder)
    ? `the folder ${folder} does not exist`
    : existsSync(path)
      ? `${basename(path)} in the folder ${folder} holds none`
      : `the folder ${folder} has no file ${basename(path)}`
  return new StorageNotOpened({
    reason: `There is no store at ${path}: ${found}.`,
    isMissing: true,
  })
}

/** Why the store cannot be opened after an interrupted restore: it may be missing or incomplete. */
export const interruptedRestore = (file: string): string | undefined =>
  existsSync(restoreMarker(file))
    ? `A restore of the store at ${file} was interrupted. Repeat it. What was there before is at ${file} or beside it, as ${basename(file)}.before-restore-….`
    : undefined

/** Names that commands, the service or SQLite may use beside a store. */
export const ownNames = (file: string): ReadonlyArray<string> =>
  ["", ...siblings, "-users", "-writer", "-lock", "-probe", ".unfinished", ".restoring"].map((suffix) => `${file}${suffix}`)

/**
 * Why no store may be created beside a log without its file: SQLite would delete the log, which may hold the only copy of
 * acknowledged writes.
 */
export const logWithoutFile = (file: string): string | undefined => {
  if (isThere(file)) return undefined
  // The first transaction of a store has a rollback journal beside a still empty file.
  const logs = existsSync(file) ? [`${file}-wal`] : partsOf(file).filter((part) => !part.endsWith("-shm"))
  const log = logs.find(isThere)
  return log === undefined
    ? undefined
    : `There is no store at ${file}, but the log of one, ${basename(log)}. Bring the store back to it, or move the log away.`
}
