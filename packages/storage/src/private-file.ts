/** Files that only their owner can read, because they contain every pet and the hashes of API keys. */
import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from "node:fs"

/** Readable and writable by the owner only. SQLite creates its log files with the database file's mode. */
export const privateMode = 0o600

/** Creates a missing file with mode 0600 under any umask, or with the mode and, as root, the owner of `beside` if that exists. */
export const makePrivate = (file: string, beside = file): void => {
  if (existsSync(file)) return
  const other = statSync(beside, { throwIfNoEntry: false })
  closeSync(openSync(file, "a", privateMode))
  chmodSync(file, other === undefined ? privateMode : other.mode & 0o666)
  if (other !== undefined && process.getuid?.() === 0) chownSync(file, other.uid, other.gid)
}
