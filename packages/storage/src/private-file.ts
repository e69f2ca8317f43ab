/** Files that only their owner may read: they hold every pet, and the hashes of API keys. */
import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from "node:fs"

/** Read and written by the owner. SQLite gives its logs the mode of their file. */
export const privateMode = 0o600

/**
 * Creates an empty file, unless it exists: with mode 0600 under any umask, or, for a file beside an existing one, with the mode
 * of that and, as root, with its owner.
 */
export const makePrivate = (file: string, beside = file): void => {
  if (existsSync(file)) return
  const other = statSync(beside, { throwIfNoEntry: false })
  closeSync(openSync(file, "a", privateMode))
  chmodSync(file, other === undefined ? privateMode : other.mode & 0o666)
  if (other !== undefined && process.getuid?.() === 0) chownSync(file, other.uid, other.gid)
}
