/** Files that only their owner reads: they hold every animal, and the hashes of API keys. */
import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from "node:fs"

/** Read and written by the owner. SQLite gives its logs the mode of their file. */
export const privateMode = 0o600

/**
 * Makes an empty file, unless it is there: with mode 0600 whatever the umask is, or, if it belongs beside a
 * file that is there, with the mode of that one and, made by root, with its owner.
 */
export const makePrivate = (file: string, beside = file): void => {
  if (existsSync(file)) return
  const other = statSync(beside, { throwIfNoEntry: false })
  closeSync(openSync(file, "a", privateMode))
  chmodSync(file, other === undefined ? privateMode : other.mode & 0o666)
  if (other !== undefined && process.getuid?.() === 0) chownSync(file, other.uid, other.gid)
}
