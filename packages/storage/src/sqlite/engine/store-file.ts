/** Where a SQLite store is on the disk: its file, what stands beside it, and whether a restore of it was interrupted. */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readlinkSync, readSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { StorageNotOpened } from "../../storage-not-opened.js"

/** What SQLite puts beside a file: it belongs to that file alone, and another file of the same name would be changed by it. */
export const siblings = ["-wal", "-shm", "-journal"] as const

/** The file and what stands beside it now. */
export const partsOf = (file: string): ReadonlyArray<string> =>
  ["", ...siblings].map((suffix) => `${file}${suffix}`).filter((part) => existsSync(part))

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    // No folder leads there: opening it tells why.
    return false
  }
}

/** Most links on the way to a file, as Linux has it (path_resolution(7)). */
const linksMaximum = 40

/** The file that a path leads to, symbolic links followed, whether it is there or not. SQLite follows them too: logs stand beside it. */
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
 * Makes a folder, and those above it that are missing. `recursive` of Node.js never ends where a system that has the folder above
 * makes none in it and says ENOENT, such as /proc.
 */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (thrown) {
    // Another process may have made it.
    if (!existsSync(folder)) throw thrown
  }
}

/**
 * The marker that stands beside a store while a restore puts it in place. It is there
 * before the former store is moved and goes when the new one is whole on the disk.
 */
export const restoreMarker = (file: string): string => `${file}.restoring`

/** The empty file whose locks tell who has the store open. */
export const usersOf = (file: string): string => `${file}-users`

/** A second name that a store gets for a moment, to tell whether it could have one in its folder. */
export const probeOf = (file: string): string => `${file}-probe`

/** Whether a store is there. An empty file does not count, although SQLite would create one in it. */
export const isThere = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** The first bytes of a file, in which SQLite says what it is. */
export const headOf = (file: string): Buffer => {
  const descriptor = openSync(file, "r")
  try {
    const head = Buffer.alloc(100)
    return head.subarray(0, readSync(descriptor, head))
  } finally {
    closeSync(descriptor)
  }
}

/** Whether a store is there, was there, or is about to be. */
export const hasTraces = (file: string): boolean =>
  isThere(file) ||
  [...siblings.map((suffix) => `${file}${suffix}`), usersOf(file), restoreMarker(file)].some((path) => existsSync(path))

/** Refuses to open what is not there: says where it was looked for, and what to do. */
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

/** What the command, the service or SQLite may put beside a store: no name for anything else. */
export const ownNames = (file: string): ReadonlyArray<string> =>
  ["", ...siblings, "-users", "-writer", "-lock", "-probe", ".unfinished", ".restoring"].map((suffix) => `${file}${suffix}`)

/**
 * Why no store may be made beside a log without its file: SQLite would delete the log,
 * and what it holds may be the only copy of acknowledged writes.
 */
export const logWithoutFile = (file: string): string | undefined => {
  if (isThere(file)) return undefined
  // The first transaction of a store has a rollback journal beside a file that is empty yet.
  const logs = existsSync(file) ? [`${file}-wal`] : partsOf(file).filter((part) => !part.endsWith("-shm"))
  const log = logs.find(isThere)
  return log === undefined
    ? undefined
    : `There is no store at ${file}, but the log of one, ${basename(log)}. Bring the store back to it, or move the log away.`
}
