import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import type { StorageUnavailable } from "@petstore/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { makePrivate } from "../../private-file.js"
import { StorageNotOpened } from "../../storage-not-opened.js"
import { inTransaction, rollBack, type Statements, statementsOn } from "./connection.js"
import { explain, type Fault, failWith, faultOf, isDamage } from "./errors.js"
import { type GroupCommit, type GroupCommitOptions, groupCommit } from "./group-commit.js"
import { generationOf } from "./log-owner.js"
import {
  type DatabaseSyncClass,
  type FileIdentity,
  giveNumber,
  identityOf,
  inTheWay,
  logWrites,
  type Name,
  noName,
  numbered,
  type Opener,
  secondName,
  storeIn,
  watchName,
} from "./one-name.js"
import { moveForeignLog, type Replacement, replacementOf, withForeignLog } from "./set-aside.js"
import {
  fileBehind,
  hasTraces,
  immutable,
  interruptedRestore,
  isThere,
  isWriteAhead,
  logWithoutFile,
  makeFolder,
  missingStore,
  noFile,
  partsOf,
} from "./store-file.js"
import { isRestored, lockStore, noLock, type StoreLock, StoreLockTaken } from "./store-lock.js"
import { transactionOn, type WriteTable } from "./transaction.js"
import { askAgainMillis, openMillis, preparedMillis } from "./waiting.js"

/** `Table` is the type of the allowed writes. */
export interface Database<Table = unknown> extends GroupCommit<Table> {
  readonly connection: DatabaseSync
  readonly prepare: Statements["prepare"]
  /** Runs synchronous work on the connection: a read, or a change to temporary tables. */
  readonly run: <A>(work: () => A) => Effect.Effect<A, StorageUnavailable>
  /** Runs synchronous work in its own write transaction, which starts when the lock is free. */
  readonly transact: <A>(work: () => A) => Effect.Effect<A, StorageUnavailable>
  readonly name: Name
  /** Fails once SQLite has found the store's content damaged. */
  readonly intact: Effect.Effect<void, StorageUnavailable>
  /** Runs work whose reads share a transaction. Without a transaction of its own, a read of one row takes half the time. */
  readonly together: <A>(work: () => A) => A
  /** Runs a write that changes pages all over the file. Its checkpoints write few of them, because other work waits meanwhile. */
  readonly inSmallSteps: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** With `WAL`, readers and the writer do not wait for each other. With `DELETE`, a rollback journal, they do during a commit. */
export type JournalMode = "WAL" | "DELETE"

interface DatabaseOptions<Table> extends GroupCommitOptions {
  readonly prepareSchema: (connection: DatabaseSync) => Effect.Effect<void, StorageNotOpened>
  readonly writesOn: (connection: DatabaseSync) => Table
  /** Whether to refuse a missing file instead of creating it. */
  readonly mustExist: boolean
  /** Whether to open the file read-only while other programs use it. Opening creates no files, and only reads take a lock. */
  readonly isReadOnly: boolean
  readonly serviceLockMillis: number | undefined
  readonly journalMode: JournalMode
  /** Called with a sentence for the operator when something happened to the store's files. */
  readonly warn: (sentence: string) => void
  /** Called once the store was replaced, its content was kept and the new file is complete. Until then, every call fails. */
  readonly onReplaced: (() => void) | undefined
}

/** How often to check whether the store's file still has its name, in ms. Every commit checks too. */
const lookMillis = 250

/** How long a read waits for another process's commit, in ms. With 0, writes do not wait either: see `group-commit.ts`. */
const readTimeoutMillis = { WAL: 0, DELETE: 1_000 }

/** Opens the file for as long as the scope lasts, and creates it and its folder if needed. */
export const openDatabase = <Table extends WriteTable>(
  Sqlite: DatabaseSyncClass,
  path: string,
  options: DatabaseOptions<Table>,
): Effect.Effect<Database<Table>, StorageNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const { isReadOnly, journalMode } = options
    const isFile = path !== ":memory:"
    if (isFile) {
      yield* waitForOthers(path, { isNative: journalMode === "WAL", isReadOnly })
      yield* enterInTurn(path, options)
    }
    // Absolute, because SQLite treats a name that starts with `file:` as a URI.
    const file = isFile ? fileBehind(path) : path
    const opening = Effect.try({
      try: () => (isReadOnly ? openToRead(Sqlite, file) : open(Sqlite, path, file, journalMode)),
      catch: (thrown) => notOpened(isReadOnly ? file : path, thrown),
    })
    let replacement: Replacement | undefined
    const { connection, identity: found } = yield* Effect.acquireRelease(opening, (opened) =>
      Effect.sync(() => {
        if (replacement?.leave() !== false) opened.connection.close()
      }),
    )
    yield* options.prepareSchema(connection).pipe(Effect.catchAllDefect((thrown) => notOpened(path, thrown)))
    const inOneLog = whileInOneLog(Sqlite, file, journalMode)
    if (found !== undefined && options.serviceLockMillis !== undefined) renumber(connection, inOneLog)
    const identity = found !== undefined ? numbered(Sqlite, connection, found) : found
    const name = identity === undefined ? noName : watchName(Sqlite, connection, identity)
    connection.exec(`PRAGMA busy_timeout = ${readTimeoutMillis[journalMode]}`)
    const table = options.writesOn(connection)
    const commitHere = transactionOn(connection, table, name)
    let damage: Fault | undefined
    const onFault = (fault: Fault): Fault => {
      if (!isDamage(fault)) return fault
      // A file that was overwritten looks damaged.
      const lost = name.look()
      if (lost === undefined) damage = fault
      return lost ?? fault
    }
    const { writes, prove } = yield* groupCommit(table, commitHere, identity, { ...options, path, onFault })
    if (identity !== undefined) {
      const { warn, onReplaced, serviceLockMillis } = options
      const isService = serviceLockMillis !== undefined
      replacement = replacementOf(Sqlite, connection, identity, { name, isService, warn })
      // Two transactions, so that the log contains the file's own number and the next one.
      const mark = inOneLog(
        Effect.forEach([0, 1], (raise) =>
          Effect.filterOrFail(
            prove({ name: "markLog", args: [raise] }),
            (isWritten) => isWritten,
            () => "The lock was taken.",
          ),
        ),
      )
      const onLost = Effect.zipRight(
        replacement.keep,
        Effect.sync(() => onReplaced?.()),
      )
      yield* watch(identity, name, isService ? mark : Effect.void, onLost)
    }
    return {
      connection,
      prepare: statementsOn(connection).prepare,
      run: (work) =>
        Effect.suspend(() => {
          const lost = name.lost()
          if (lost !== undefined) return failWith(lost)
          try {
            return Effect.succeed(work())
          } catch (thrown) {
            return failWith(onFault(faultOf(thrown)), path)
          }
        }),
      transact: (work) => whenFree(connection, work, name, path),
      name,
      intact: Effect.suspend(() => (damage === undefined ? Effect.void : failWith(damage, path))),
      together: readsTogether(connection),
      inSmallSteps: (work) => {
        const checkpointAt = (pages: number) => Effect.sync(() => connection.exec(`PRAGMA wal_autocheckpoint = ${pages}`))
        return Effect.acquireUseRelease(
          checkpointAt(smallLogPages),
          () => work,
          () => checkpointAt(logPages),
        )
      },
      writes,
      prove,
    }
  })

type InOneLog = ReturnType<typeof whileInOneLog>

/**
 * Runs work while a read keeps SQLite from beginning the log anew. A log that began with the raised number, without the file's
 * own, would look like another file's until its next checkpoint.
 */
const whileInOneLog =
  (Sqlite: DatabaseSyncClass, file: string, journalMode: JournalMode) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, unknown> => {
    if (journalMode !== "WAL") return work
    const open = Effect.try(() => new Sqlite(file, { timeout: 0, readOnly: true }))
    return Effect.acquireUseRelease(
      open,
      (reader) =>
        Effect.zipRight(
          Effect.try(() => reader.exec("BEGIN; SELECT 1 FROM sqlite_schema")),
          work,
        ),
      (reader) => Effect.sync(() => reader.close()),
    )
  }

/** Raises the number in the file itself, so that copies from before this start have another one. */
const renumber = (connection: DatabaseSync, inOneLog: InOneLog): void => {
  try {
    const { markLog } = logWrites(connection)
    Effect.runSync(
      inOneLog(
        Effect.sync(() => {
          markLog(0)
          markLog(1)
        }),
      ),
    )
    connection.exec("PRAGMA wal_checkpoint")
  } catch {
    // The file cannot be written now.
  }
}

/** Looks for the file's name while the scope is open, and runs `onLost` once the name was lost. A service marks its log. */
const watch = (
  { file }: FileIdentity,
  name: Name,
  markLog: Effect.Effect<unknown, unknown>,
  onLost: Effect.Effect<void>,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let generation: string | undefined
    const mark = (): void => {
      const now = generationOf(file)
      if (now === undefined || now === generation) return
      generation = now
      const lookAgain = Effect.sync(() => {
        generation = undefined
      })
      Effect.runFork(
        Effect.forkIn(
          Effect.orElse(markLog, () => lookAgain),
          scope,
        ),
      )
    }
    const lost = yield* Deferred.make<void>()
    const look = (): void => {
      if (name.look() !== undefined) Deferred.unsafeDone(lost, Effect.void)
      else mark()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(look, lookMillis).unref()),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    yield* Effect.forkScoped(Effect.zipRight(Deferred.await(lost), onLost))
    look()
  })

const whenFree = <A>(connection: DatabaseSync, work: () => A, name: Name, path: string): Effect.Effect<A, StorageUnavailable> =>
  Effect.suspend(() => {
    const tooLate = performance.now() + preparedMillis
    return Effect.try({ try: () => inTransaction(connection, work), catch: faultOf }).pipe(
      Effect.retry({
        while: ({ kind }) => kind === "busy" && performance.now() < tooLate,
        schedule: Schedule.spaced(askAgainMillis),
      }),
      Effect.catchAll((fault) => failWith(fault, path)),
      Effect.tap(() => {
        const lost = name.look()
        return lost === undefined ? Effect.void : failWith(lost)
      }),
    )
  })

const readsTogether = (connection: DatabaseSync): Database["together"] => {
  const begin = connection.prepare("BEGIN")
  return (work) => {
    try {
      // Takes no lock yet; the first read takes it.
      begin.run()
    } catch {
      // The reads work without the transaction, and report any problem.
      return work()
    }
    try {
      return work()
    } finally {
      // Nothing was written, so a rollback is enough; it ends the transaction even if a commit would have to wait.
      rollBack(connection)
    }
  }
}

/** Fails if a program that cannot share the store has it open. Runs before locking, because the check itself takes a lock. */
const waitForOthers = (path: string, opener: Opener): Effect.Effect<void, StorageNotOpened> =>
  Effect.tryPromise({ try: () => inTheWay(fileBehind(path), opener), catch: (thrown) => thrown }).pipe(
    // A file that cannot be checked cannot be opened either, and the resulting error states the reason.
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((reason) => (reason === undefined ? Effect.void : new StorageNotOpened({ reason }))),
  )

type Entry = Pick<DatabaseOptions<unknown>, "mustExist" | "isReadOnly" | "serviceLockMillis" | "warn">

/** How often a service looks whether the former one has stopped, in ms. */
const lookForLockMillis = 50

/** Locks the store until the scope closes. A service waits until the former one has stopped, because restarts overlap. */
const enterInTurn = (path: string, options: Entry): Effect.Effect<StoreLock, StorageNotOpened, Scope.Scope> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    const waitMillis = (cause: unknown): number =>
      cause instanceof LogInUse ? Math.max(openMillis, options.serviceLockMillis ?? 0) : (options.serviceLockMillis ?? 0)
    return Effect.retry(
      Effect.acquireRelease(enter(path, options), ({ release }) => Effect.sync(release)),
      {
        while: ({ cause }) => cause instanceof StoreLockTaken && performance.now() < startedAt + waitMillis(cause),
        schedule: Schedule.spaced(lookForLockMillis),
      },
    )
  })

/** Locks the store. Fails during a restore, after an interrupted restore, and if only a log remains. */
const enter = (
  path: string,
  { mustExist, isReadOnly, serviceLockMillis, warn }: Entry,
): Effect.Effect<StoreLock, StorageNotOpened> =>
  Effect.suspend(() => {
    const isService = serviceLockMillis !== undefined
    try {
      const file = fileBehind(path)
      const other = noFile(file)
      if (other !== undefined) return new StorageNotOpened({ reason: other })
      // Without a store, there is nothing to lock, and locking would create the folder.
      if (mustExist && !hasTraces(file)) return missingStore(path)
      const inUse = replacedLog(file, isReadOnly, warn)
      if (inUse !== undefined) return inUse
      const lock = isReadOnly ? noLock : isService ? lockStore(file, "service", 0) : lockStore(file, "shared", openMillis)
      const interruption = interruptedRestore(file) ?? logWithoutFile(file) ?? secondName(file, isReadOnly)
      if (interruption === undefined && (isThere(file) || !mustExist)) return Effect.succeed(lock)
      lock.release()
      return interruption === undefined ? missingStore(path) : new StorageNotOpened({ reason: interruption })
    } catch (thrown) {
      if (!(thrown instanceof StoreLockTaken)) return notOpened(path, thrown)
      const reason =
        isService && !isRestored(fileBehind(path))
          ? `Another process serves the store at ${path}, and only one can: find it with fuser ${path}-users. Several processes need PostgreSQL.`
          : `The store at ${path} is being restored.`
      return new StorageNotOpened({ reason, cause: thrown })
    }
  })

/** The log next to a replaced file is still in use by a program that keeps the former content. */
class LogInUse extends StoreLockTaken {}

/** Moves a log that belongs to a former file out of the way, or returns why the store must not be opened with it. */
const replacedLog = (file: string, isReadOnly: boolean, warn: (sentence: string) => void): StorageNotOpened | undefined => {
  const reason = withForeignLog(file)
  if (reason === undefined) return undefined
  if (isReadOnly) return new StorageNotOpened({ reason })
  let lock: StoreLock
  try {
    lock = lockStore(file, "exclusive", 0)
  } catch (thrown) {
    if (!(thrown instanceof StoreLockTaken)) throw thrown
    const inUse = `${file} was replaced while a program was using it. Stop that program: it keeps the former content.`
    return new StorageNotOpened({ reason: inUse, cause: new LogInUse(inUse) })
  }
  try {
    const moved = moveForeignLog(file)
    if (moved !== undefined) warn(moved)
    return undefined
  } finally {
    lock.release()
  }
}

const open = (Sqlite: DatabaseSyncClass, path: string, file: string, journalMode: JournalMode) => {
  const isFile = file !== ":memory:"
  if (isFile) {
    makeFolder(dirname(file))
    makePrivate(file)
  }
  const identity = isFile ? identityOf(path) : undefined
  const connection = new Sqlite(file, { timeout: openMillis })
  if (isFile) numberFirst(connection)
  configure(connection, journalMode)
  return { connection, identity }
}

/** Numbers a file before it has a log, so that the number is in the file itself. */
const numberFirst = (connection: DatabaseSync): void => {
  try {
    if (storeIn(connection) !== 0) return
    connection.exec("PRAGMA journal_mode = DELETE")
    giveNumber(connection)
  } catch {
    // The file cannot be written now, or another program has it open.
  }
}

/** Opens a file without a log as immutable, or SQLite would create a log. A writer that starts now writes to a log instead. */
const openToRead = (Sqlite: DatabaseSyncClass, file: string) => {
  const isWhole = partsOf(file).length === 1 && isWriteAhead(file)
  const name = isWhole ? immutable(file) : file
  return { connection: new Sqlite(name, { timeout: openMillis, readOnly: true }), identity: undefined }
}

/** A connection's page cache, in KiB. With 2 000, SQLite's default, most reads of a large catalogue need a system call. */
const cacheKibibytes = 16_000

/** The number of pages in a log at a checkpoint. A transaction of 64 creates writes 58, mostly the same ones as the last. */
const logPages = 4_000

/** The same for writes whose pages are all different: even in memory, a checkpoint of 4 000 such pages takes up to 140 ms. */
const smallLogPages = 500

/**
 * How large a log stays that grew while a long reader kept its start in use. A log in ordinary use has half of this size, and
 * is never cut: cutting it at each checkpoint would halve the rate of writes.
 */
const logLimitBytes = 33_554_432

/** A commit is on disk when it returns. EXTRA also syncs the folder, or a power failure could bring a removed journal back. */
export const configure = (connection: DatabaseSync, journalMode: JournalMode): void =>
  connection.exec(
    `PRAGMA journal_mode = ${journalMode}; PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA journal_size_limit = ${logLimitBytes}; PRAGMA synchronous = ${journalMode === "WAL" ? "FULL" : "EXTRA"}; PRAGMA foreign_keys = ON; PRAGMA cache_size = -${cacheKibibytes};`,
  )

const notOpened = (path: string, thrown: unknown): StorageNotOpened =>
  new StorageNotOpened({ reason: `The SQLite file ${path} cannot be opened: ${explain(thrown, path)}`, cause: thrown })
