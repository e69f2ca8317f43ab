/** How much room a store on a disk takes up, and how much there is. */
import { statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseUrl } from "@petstore/storage"
import { filesOfStore, freeBytes } from "@petstore/storage/internal"

/** In bytes. `log` is what SQLite has not yet moved into the file (WAL). */
export type StoreBytes = Readonly<Record<"file" | "log" | "free", number>>

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Gives nothing for a store that is not a file. */
export const bytesOfStore = (database: DatabaseUrl): readonly [StoreBytes] | readonly [] => {
  const [file] = filesOfStore(database)
  return file === undefined ? [] : [{ file: sizeOf(file), log: sizeOf(`${file}-wal`), free: freeBytes(dirname(file)) }]
}
