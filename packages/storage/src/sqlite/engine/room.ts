import { accessSync, constants, statfsSync } from "node:fs"

/** If fewer bytes than this are free, a file that has to grow might not fit. */
export const scarceBytes = 1_000_000

/** The number of bytes that this process can still write to a folder's disk. */
export const freeBytes = (folder: string): number => {
  const { bavail, bfree, bsize } = statfsSync(folder)
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize
}

const isWritable = (folder: string): boolean => {
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
