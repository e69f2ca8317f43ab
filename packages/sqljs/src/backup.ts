import type { PathLike } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { asCall } from "./calls.js"
import { beginBackup, openConnection } from "./connection.js"
import { connectionOf, type DatabaseSync } from "./database.js"
import { outOfRange, SQLITE_BUSY, SQLITE_DONE, SQLITE_LOCKED, SQLITE_OK, sqliteError } from "./errors.js"
import { optionsAt, readFunction, readInt32, readPath, readString, requireObject } from "./options.js"
import { backup as fields } from "./structures.js"

/** The number of pages in the source, and how many of them remain to be copied. */
export interface BackupProgressInfo {
  totalPages: number
  remainingPages: number
}

export interface BackupOptions {
  /** Name of the source database: "main", or the name of an attached database. */
  source?: string | undefined
  /** Name of the database to write to, in the connection to the target file. */
  target?: string | undefined
  /** Number of pages to copy before the event loop continues. 100 by default. */
  rate?: number | undefined
  progress?: ((progressInfo: BackupProgressInfo) => void) | undefined
}

/** A `DatabaseSync`, also as the types of Node.js 24 describe it: they lack the newer members of statements. */
type Source = Omit<DatabaseSync, "prepare" | "createTagStore">

/**
 * Copies `sourceDb` into the file at `path`, which is created or replaced. Resolves with the number of pages. Throws
 * synchronously for invalid arguments. Rejects with a SQLite error, or with an error that `progress` throws.
 *
 * @example await backup(database, "copy.db", { rate: 500 })
 */
export function backup(sourceDb: Source, path: PathLike, options?: BackupOptions): Promise<number>
export function backup(sourceDb: Source, path: PathLike, ...rest: unknown[]): Promise<number> {
  requireObject(sourceDb, "sourceDb")
  connectionOf(sourceDb)
  const location = readPath(path)
  const given = optionsAt(rest, 0)
  const rate = readInt32(given, "rate", 100)
  if (rate < 1) throw outOfRange('The "options.rate" argument must be a positive integer.')
  const sourceName = readString(given, "source", "main")
  const targetName = readString(given, "target", "main")
  const progress = readFunction(given, "progress", undefined)
  // Reading an option may run code that closes the database.
  const connection = connectionOf(sourceDb)
  const { engine } = connection
  const { call, memory } = engine
  return asCall(async () => {
    const target = openConnection(engine, location)
    let handle = 0
    try {
      handle = beginBackup(connection, sourceName, target, targetName)
      for (;;) {
        await setImmediate()
        const code = asCall(() => call.sqlite3_backup_step(handle, rate))
        if (![SQLITE_OK, SQLITE_DONE, SQLITE_BUSY, SQLITE_LOCKED].includes(code)) throw sqliteError(code)
        const totalPages = memory.int(handle + fields.pageCount)
        const remainingPages = memory.int(handle + fields.remaining)
        if (remainingPages !== 0) {
          progress?.call(null, { totalPages, remainingPages })
          continue
        }
        if (code !== SQLITE_DONE) throw target.lastError()
        return totalPages
      }
    } finally {
      asCall(() => {
        if (handle !== 0 && !engine.hasStopped) call.sqlite3_backup_finish(handle)
        target.close()
      })
    }
  })
}
