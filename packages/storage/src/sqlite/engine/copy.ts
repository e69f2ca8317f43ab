/** Copies whole SQLite stores into one file, which also records its content. */
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

/** The table with the count and checksum of a backup: inside the file it cannot get lost. */
export const manifest = "petstore_backup"

/** Copies every page in one step: a copy in several steps starts again at each write of another connection. */
export const allPages = 2 ** 31 - 1

export const timeout = openMillis

/** Makes a file and its name durable. */
export const syncWithName = async (file: string): Promise<void> => {
  await sync(file)
  await sync(dirname(file))
}

/** Removes a file that no program has open, and the files beside it. */
export const removeWithSiblings = async (file: string): Promise<void> => {
  for (const suffix of ["", ...siblings]) await rm(`${file}${suffix}`, { force: true })
}

/** Opens a copy as one file, without a log beside it. */
export const openCopy = ({ DatabaseSync }: Engine, file: string): DatabaseSync => {
  const copy = new DatabaseSync(file, { timeout })
  copy.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
  return copy
}
