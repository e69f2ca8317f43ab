/** One connection to a SQLite file: how it is opened, read from and written to. */
import { dirname } from "node:path"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { StorageUnavailable } from "@petstore/core"
import { Effect, type Scope } from "effect"
import { makePrivate } from "../../private-file.js"
import { StorageNotOpened } from "../../storage-not-opened.js"
import { explain, failWith, faultOf } from "./errors.js"
import { groupCommit, type Writes, writesThrough } from "./group-commit.js"
import { prepareExact } from "./prepare-exact.js"
import { rollBack } from "./roll-back.js"
import { shareWriter } from "./shared-writer.js"
import {
  fileBehind,
  hasTraces,
  headOf,
  interruptedRestore,
  isThere,
  logWithoutFile,
  makeFolder,
  missingStore,
  noFile,
  partsOf,
} from "./store-file.js"
import { lockStore, type StoreLock, StoreLockTaken } from "./store-lock.js"
import type { WriteTable } from "./transaction.js"
import { openWriter, type WriterThread } from "./writer.js"

/** A class with the API of `DatabaseSync` of `node:sqlite`. */
export type DatabaseSyncClass = new (
  path: string,
  options: { readonly timeout: number; readonly readOnly?: boolean },
) => DatabaseSync

/** `Table` names the writes that whoever has it may make. */
export interface Database<Table = unknown> {
  readonly connection: DatabaseSync
  /** Prepares a query whose rows are arrays with exact integers. */
  readonly prepare: (sql: string) => StatementSync
  /** Runs synchronous work on the connection: a read, or a transaction of its own. */
  readonly run: <A>(work: () => A) => Effect.Effect<A, StorageUnavailable>
  /** Does work whose reads share a transaction: of a single row it takes half the time. */
  readonly together: (work: () => void) => void
  readonly writes: Writes<Table>
}

/**
 * How commits become atomic and durable. With `WAL`, readers and the writer do not
 * wait for each other. With `DELETE`, a rollback journal, they do, for the length of a commit.
 */
export type JournalMode = "WAL" | "DELETE"

interface DatabaseOptions<Table> {
  readonly prepareSchema: (connection: DatabaseSync) => Effect.Effect<void, StorageNotOpened>
  /** Which writes there are, on a connection with that schema. */
  readonly writesOn: (connection: DatabaseSync) => Table
  readonly schemaVersion: number
  /** Whether a file that is not there is refused, not made. */
  readonly mustExist: boolean
  /** Whether to look at the file beside whoever uses it: nothing is made, and nothing is locked for longer than a read takes. */
  readonly isReadOnly: boolean
  readonly writerThread: WriterThread
  /** The module of that thread. */
  readonly threadFile: URL
  /** Whether other processes serve the file together with this one: then one of them writes for all. */
  readonly hasSiblings: boolean
  readonly journalMode: JournalMode
  readonly onGroupCommit: ((writes: number) => void) | undefined
}

/** How long opening waits for a lock of another process, in ms. */
const openTimeoutMillis = 5_000

/** How long a read waits for the commit of another process, in ms. Where reads need not wait, writes do not either: see `group-commit.ts`. */
const readTimeoutMillis = { WAL: 0, DELETE: 1_000 }

/** Opens the file, and makes it and its folder if need be, for as long as the scope lasts. */
export const openDatabase = <Table extends WriteTable>(
  Sqlite: DatabaseSyncClass,
  path: string,
  {
    prepareSchema,
    writesOn,
    schemaVersion,
    mustExist,
    isReadOnly,
    writerThread,
    threadFile,
    hasSiblings,
    journalMode,
    onGroupCommit,
  }: DatabaseOptions<Table>,
): Effect.Effect<Database<Table>, StorageNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const isFile = path !== ":memory:"
    if (isFile) yield* Effect.acquireRelease(enter(path, { mustExist, isReadOnly }), ({ release }) => Effect.sync(release))
    // Whole: what begins with `file:` is an address to SQLite.
    const file = isFile ? fileBehind(path) : path
    const opening = isReadOnly ? openToRead(Sqlite, file) : open(Sqlite, file, journalMode)
    const connection = yield* Effect.acquireRelease(opening, (opened) => Effect.sync(() => opened.close()))
    yield* prepareSchema(connection).pipe(Effect.catchAllDefect((thrown) => notOpened(path, thrown)))
    connection.exec(`PRAGMA busy_timeout = ${readTimeoutMillis[journalMode]}`)
    const table = writesOn(connection)
    const commitHere = yield* openWriter(connection, table, file, isFile ? writerThread : "never", threadFile, onGroupCommit)
    const submitHere = yield* groupCommit(commitHere)
    const submit = isFile && hasSiblings ? yield* shareWriter(file, schemaVersion, submitHere) : submitHere
    return {
      connection,
      prepare: (sql) => prepareExact(connection, sql),
      run: (work) =>
        Effect.suspend(() => {
          try {
            return Effect.succeed(work())
          } catch (thrown) {
            return failWith(faultOf(thrown), path)
          }
        }),
      together: readsTogether(connection),
      writes: writesThrough(submit, table, path),
    }
  })

const readsTogether = (connection: DatabaseSync): ((work: () => void) => void) => {
  const begin = connection.prepare("BEGIN")
  return (work) => {
    try {
      // Takes no lock yet: the first read does.
      begin.run()
    } catch {
      // The reads do without, and say what is wrong if something is.
      work()
      return
    }
    try {
      work()
    } finally {
      // Nothing was written. A rollback ends the transaction even where a commit would have to wait.
      rollBack(connection)
    }
  }
}

const noLock: StoreLock = { release: () => {} }

/** Shows that the store is in use, for as long as it is. Fails while a restore puts another in its place, where one was interrupted, and where only a log is left. */
const enter = (
  path: string,
  { mustExist, isReadOnly }: { readonly mustExist: boolean; readonly isReadOnly: boolean },
): Effect.Effect<StoreLock, StorageNotOpened> =>
  Effect.suspend(() => {
    try {
      const file = fileBehind(path)
      const other = noFile(file)
      if (other !== undefined) return new StorageNotOpened({ reason: other })
      // Without anything of a store there is nothing to lock: the lock would make the folder.
      if (mustExist && !hasTraces(file)) return missingStore(path)
      const lock = isReadOnly ? noLock : lockStore(file, "shared", openTimeoutMillis)
      const interruption = interruptedRestore(file) ?? logWithoutFile(file)
      if (interruption === undefined && (isThere(file) || !mustExist)) return Effect.succeed(lock)
      lock.release()
      return interruption === undefined ? missingStore(path) : new StorageNotOpened({ reason: interruption })
    } catch (thrown) {
      if (!(thrown instanceof StoreLockTaken)) return notOpened(path, thrown)
      return new StorageNotOpened({ reason: `The store at ${path} is being restored.`, cause: thrown })
    }
  })

const open = (Sqlite: DatabaseSyncClass, path: string, journalMode: JournalMode): Effect.Effect<DatabaseSync, StorageNotOpened> =>
  Effect.try({
    try: () => {
      if (path !== ":memory:") {
        makeFolder(dirname(path))
        makePrivate(path)
      }
      const connection = new Sqlite(path, { timeout: openTimeoutMillis })
      configure(connection, journalMode)
      return connection
    },
    catch: (thrown) => notOpened(path, thrown),
  })

/**
 * Opens a file to read from it. One without a log is read as one that nobody changes, since SQLite would make a log to read it: whoever begins
 * one at this moment writes to that log.
 */
const openToRead = (Sqlite: DatabaseSyncClass, path: string): Effect.Effect<DatabaseSync, StorageNotOpened> =>
  Effect.try({
    try: () => {
      const isWhole = partsOf(path).length === 1 && isWriteAhead(path)
      return new Sqlite(isWhole ? `${pathToFileURL(path).href}?immutable=1` : path, {
        timeout: openTimeoutMillis,
        readOnly: true,
      })
    },
    catch: (thrown) => notOpened(path, thrown),
  })

/** Whether a file is used with a write-ahead log, as its head says (https://sqlite.org/fileformat2.html#file_format_version_numbers). */
const isWriteAhead = (file: string): boolean => headOf(file)[19] === 2

/** The page cache of a connection, in KiB. With 2 000, the default of SQLite, most reads of a large catalogue cost a system call. */
const cacheKibibytes = 16_000

/** A commit is on disk when it returns. EXTRA: after the removal of a rollback journal the folder is synced too, or a lost power could bring it back. */
export const configure = (connection: DatabaseSync, journalMode: JournalMode): void =>
  connection.exec(
    `PRAGMA journal_mode = ${journalMode}; PRAGMA synchronous = ${journalMode === "WAL" ? "FULL" : "EXTRA"}; PRAGMA foreign_keys = ON; PRAGMA cache_size = -${cacheKibibytes};`,
  )

const notOpened = (path: string, thrown: unknown): StorageNotOpened =>
  new StorageNotOpened({
    reason: `The SQLite file ${path} cannot be opened: ${explain(thrown, path)}`,
    cause: thrown,
  })
