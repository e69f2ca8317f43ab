/** Where a SQLite store is on the disk: its file, what stands beside it, and whether a restore of it was interrupted. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"

/** What SQLite puts beside a file: it belongs to that file alone, and another file of the same name would be changed by it. */
export const siblings = ["-wal", "-shm", "-journal"] as const

/** The file and what stands beside it now. */
export const partsOf = (file: string): ReadonlyArray<string> =>
  ["", ...siblings].map((suffix) => `${file}${suffix}`).filter((part) => existsSync(part))

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** The file that a path leads to, symbolic links followed, whether it is there or not. SQLite follows them too: logs stand beside it. */
export const fileBehind = (path: string): string => {
  const absolute = resolve(path)
  if (existsSync(absolute)) return realpathSync(absolute)
  if (isLink(absolute)) {
    const target = readlinkSync(absolute)
    return fileBehind(isAbsolute(target) ? target : join(dirname(absolute), target))
  }
  const folder = dirname(absolute)
  return folder === absolute ? absolute : join(fileBehind(folder), basename(absolute))
}

/**
 * The note that stands beside a store while a restore puts it in place. It is there
 * before the former store is moved and goes when the new one is whole on the disk.
 */
export const noteOfRestore = (file: string): string => `${file}.restoring`

/** Why nobody may open the store, if a restore of it was interrupted: where it was there may be nothing, or half of it. */
export const interruptedRestore = (file: string): string | undefined =>
  existsSync(noteOfRestore(file))
    ? `A restore of the store at ${file} was interrupted. Repeat it: petstore restore --replace FILE. What was there before is at ${file} or beside it, as ${basename(file)}.before-restore-….`
    : undefined
