import { accessSync, constants, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** If fewer bytes than this are free, a file that has to grow might not fit. */
export const scarceBytes = 1_000_000

/** The number of bytes that this process can still write to a folder's disk. */
export const freeBytes = (folder: string): number => {
  const { bavail, bfree, bsize } = statfsSync(folder)
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize
}

export const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where SQLite puts temporary files (https://sqlite.org/tempfiles.html#temporary_file_storage_locations). */
export const temporaryFolder = (): string => {
  // biome-ignore lint/style/noProcessEnv: SQLite reads the same two variables
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  const folders = [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"]
  return folders.find((folder) => folder !== undefined && isWritable(folder)) ?? "."
}

/**
 * Lets SQLite put temporary files beside the store if it would find no other place, as in a container whose only writable folder is
 * the store's. Has an effect only before SQLite's first use in this process.
 */
export const provideTemporaryFolder = (path: string): void => {
  // biome-ignore lint/style/noProcessEnv: SQLite reads this variable
  if (!isWritable(temporaryFolder())) process.env["SQLITE_TMPDIR"] = dirname(resolve(path))
}
