/** Reads and fills whole SQLite stores for a copy to or from another engine. */
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { BackupFailed } from "../backup-failed.js"
import { firstPlace } from "../change-rows.js"
import { sqlReader } from "../copy/sql-reader.js"
import type { CopiedRow, CopiedTable, Copying, Opened, Source, StoreReader, StoreState, StoreWriter } from "../copy/tables.js"
import { makePrivate } from "../private-file.js"
import { wordsTextOf } from "../words-text.js"
import { ownChanges } from "./change-writes.js"
import { storeInUse } from "./engine/backup.js"
import { inTransaction, rowInserts, statementsOn } from "./engine/connection.js"
import { contentsOf, type Engine, openCopy, removeWithSiblings, seal } from "./engine/copy.js"
import { explain } from "./engine/errors.js"
import { restoreFile } from "./engine/restore.js"
import { fileBehind, isThere, makeFolder } from "./engine/store-file.js"
import { lockStore, StoreLockTaken } from "./engine/store-lock.js"
import { openMillis } from "./engine/waiting.js"
import { countPets } from "./inventory-repository.js"
import { migrate, whySchemaRefused } from "./migrations.js"

const failureOf = (thrown: unknown, file: string): BackupFailed =>
  thrown instanceof BackupFailed ? thrown : new BackupFailed({ reason: explain(thrown, file), cause: thrown })

const sequenceOf = (table: "pets" | "orders") => `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`

/** Identifiers in one parameter. */
const amongIds = "IN (SELECT value FROM json_each(?))"
const idsText = (ids: ReadonlyArray<bigint>): string => `[${ids.join()}]`

const readerOn = (connection: DatabaseSync, file: string): StoreReader => {
  const { prepare } = statementsOn(connection)
  const doing = <A>(work: () => A): Copying<A> => Effect.try({ try: work, catch: (thrown) => failureOf(thrown, file) })
  return sqlReader({
    rowsOf: (sql, values = []) =>
      // Safe: every column and value is an integer or text.
      doing(() => prepare(sql).all(...(values as CopiedRow)) as unknown as ReadonlyArray<CopiedRow>),
    columnsOf: ({ columns }) => Object.keys(columns).join(),
    selectState: `SELECT (SELECT name FROM deployment), ${sequenceOf("pets")}, ${sequenceOf("orders")}`,
    selectEnds: "SELECT 0, coalesce(max(id), 0) FROM changes",
    slot: "0",
    amongIds,
    valueOfIds: idsText,
    // A store that has not removed old changes has another first place.
    progressElsewhere: (progress) =>
      doing(() => {
        // Safe: the statement lists this column.
        const [removed] = prepare("SELECT last_place FROM removed_changes").get() as unknown as readonly [string]
        const known = Object(JSON.parse(progress))
        return known.place === removed ? JSON.stringify({ ...known, place: firstPlace }) : progress
      }),
  })
}

/** How long after its last sign a service counts as running that was killed: it may be started again. */
const signMillis = 30_000

/** A store that other programs may use. */
export const sqliteSource = (engine: Engine, path: string): Source => {
  const open = readSqlite(engine, path)
  return {
    open,
    hold: Effect.gen(function* () {
      const doing = <A>(work: () => A): Copying<A> => Effect.try({ try: work, catch: (thrown) => failureOf(thrown, path) })
      const lock = yield* doing(() => {
        try {
          return lockStore(fileBehind(path), "service", 0)
        } catch (thrown) {
          if (thrown instanceof StoreLockTaken) return undefined
          throw thrown
        }
      })
      if (lock === undefined) return false
      const isStopped = yield* Effect.scoped(
        Effect.flatMap(openSqlite(engine, path), (connection) =>
          doing(() => Number(connection.prepare("SELECT proven_at FROM writability").get()?.["proven_at"])),
        ),
      ).pipe(
        Effect.map((provenAt) => Math.abs(Date.now() - provenAt) > signMillis),
        Effect.tapError(() => Effect.sync(lock.release)),
      )
      if (isStopped) yield* Effect.addFinalizer(() => Effect.sync(lock.release))
      else lock.release()
      return isStopped
    }),
  }
}

const readSqlite = (engine: Engine, path: string): Opened<StoreReader> =>
  Effect.flatMap(openSqlite(engine, path), (source) =>
    Effect.try({
      try: () => {
        source.exec("BEGIN")
        const reason = whySchemaRefused(source, "The store")
        if (reason !== undefined) throw new BackupFailed({ reason })
        return readerOn(source, path)
      },
      catch: (thrown) => failureOf(thrown, path),
    }),
  )

const openSqlite = (engine: Engine, path: string): Opened<DatabaseSync> =>
  Effect.gen(function* () {
    const { store } = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => storeInUse(engine, path), catch: (thrown) => failureOf(thrown, path) }),
      ({ lock }) => Effect.sync(lock.release),
    )
    return yield* Effect.acquireRelease(
      Effect.try({
        try: () => new engine.DatabaseSync(store, { timeout: openMillis }),
        catch: (thrown) => failureOf(thrown, store),
      }),
      (connection) => Effect.sync(() => connection.close()),
    )
  })

const noKeys = { added: 0, ended: 0, revoked: 0, trusted: 0, accepted: 0, account: undefined }

/** Fills a file beside the store's name, as a backup, and puts it into place as a restore does. */
export const writeSqlite = (engine: Engine, path: string, replace: boolean): Opened<StoreWriter> =>
  Effect.gen(function* () {
    const store = fileBehind(path)
    const unfinished = `${store}.copy-unfinished`
    const doing = <A>(work: () => A): Copying<A> => Effect.try({ try: work, catch: (thrown) => failureOf(thrown, unfinished) })
    if (isThere(store) && !replace) {
      return yield* new BackupFailed({ reason: `There is already a store at ${path}.`, mayReplace: true })
    }
    const discard = Effect.promise(() => removeWithSiblings(unfinished))
    yield* discard
    yield* Effect.addFinalizer(() => discard)
    const copy = yield* Effect.acquireRelease(
      doing(() => {
        makeFolder(dirname(unfinished))
        makePrivate(unfinished, store)
        const connection = openCopy(engine, unfinished)
        // Nothing is kept of a file that was not published, so its changes need not survive a power failure.
        connection.exec("PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
        return connection
      }),
      (connection) => Effect.sync(() => connection.isOpen && connection.close()),
    )
    yield* migrate(copy, unfinished, { migrate: true })
    const { prepare } = statementsOn(copy)
    // The rows are copied, not changed, so the triggers for SQL by hand stay quiet.
    const setOwn = ownChanges({ prepare })
    yield* doing(() => setOwn(1))
    const addWords = rowInserts({ prepare }, "INSERT INTO pet_words", ["docid", "words"])

    const write = ({ name, columns }: CopiedTable, rows: ReadonlyArray<CopiedRow>) =>
      doing(() => {
        const names = Object.keys(columns)
        const insert = prepare(`INSERT INTO ${name} (${names.join()}) VALUES (${names.map(() => "?").join()})`)
        inTransaction(copy, () => {
          for (const row of rows) insert.run(...row.slice(0, names.length))
          // Safe: the rows of pets begin with the identifier and the name.
          const pets = name === "pets" ? (rows as ReadonlyArray<readonly [id: bigint, name: string]>) : []
          addWords(pets.flatMap(([id, petName]) => [id, wordsTextOf(petName)]))
        })
      })

    const remove = ({ name }: CopiedTable, ids: ReadonlyArray<bigint>) =>
      doing(() =>
        inTransaction(copy, () => {
          prepare(`DELETE FROM ${name} WHERE id ${amongIds}`).run(idsText(ids))
          if (name === "pets") prepare(`DELETE FROM pet_words WHERE docid ${amongIds}`).run(idsText(ids))
        }),
      )

    const clear = ({ name }: CopiedTable) => doing(() => void prepare(`DELETE FROM ${name}`).run())

    const setState = ({ deployment, given }: StoreState) =>
      doing(() =>
        inTransaction(copy, () => {
          if (deployment !== null) prepare("INSERT INTO deployment (only_row, name) VALUES (1, ?)").run(deployment)
          prepare("DELETE FROM sqlite_sequence WHERE name IN ('pets', 'orders')").run()
          const give = prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
          for (const [table, id] of Object.entries(given)) if (id > 0n) give.run(table, id)
        }),
      )

    const publish = Effect.tryPromise({
      try: async () => {
        setOwn(0)
        copy.exec(countPets)
        seal(copy, contentsOf(copy))
        copy.close()
        const options = { replace }
        const { movedAside } = await restoreFile(engine, path, unfinished, options, () => Promise.resolve(noKeys))
        return movedAside
      },
      catch: (thrown) => failureOf(thrown, store),
    })
    return { ...readerOn(copy, unfinished), write, remove, clear, setState, publish }
  })
