/** Copies an entire SQLite store into a single file, which also contains a summary of its content. */
import { rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { backup, DatabaseSync } from "node:sqlite"
import { sync } from "../../publish-file.js"
import { siblings } from "./store-file.js"
import { openMillis } from "./waiting.js"

/** The engine: `node:sqlite`, or `@petstore/sqljs` with the same API. */
export interface Engine {
  readonly DatabaseSync: new (path: string, options: { readonly timeout: number }) => DatabaseSync
  readonly backup: typeof backup
}

/** The table with a backup's count and checksum, which are in the file itself so that they cannot get lost. */
export const manifest = "petstore_backup"

/** A step size that covers all pages. A copy in several steps would start again whenever another connection writes. */
export const allPages = 2 ** 31 - 1

/** Makes a file and its name durable. */
export const syncWithName = async (file: string): Promise<void> => {
  await sync(file)
  await sync(dirname(file))
}

/** Removes a file that no program has open, together with its siblings. */
export const removeWithSiblings = async (file: string): Promise<void> => {
  for (const suffix of ["", ...siblings]) await rm(`${file}${suffix}`, { force: true })
}

/** Opens a copy as a single file, without a separate log. */
export const openCopy = ({ DatabaseSync }: Engine, file: string): DatabaseSync => {
  const copy = new DatabaseSync(file, { timeout: openMillis })
  copy.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
  return copy
}
