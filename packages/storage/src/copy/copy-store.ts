/** Copies a whole store into a new one on any engine, and computes checksums that are equal on every engine. */
import * as Effect from "effect/Effect"
import { BackupFailed } from "../backup-failed.js"
import { type DatabaseUrl, nameOfStore } from "../database-url.js"
import { openable } from "../openable.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import {
  type CopiedRow,
  type CopiedTable,
  type Copying,
  copiedTables,
  hashRows,
  type Opened,
  rowsAtOnce,
  type StoreReader,
  type StoreState,
  type StoreWriter,
  type TableContents,
  type WholeContents,
  wholeContents,
} from "./tables.js"

/** The progress of a copy. */
export interface CopyProgress {
  readonly step: "copying" | "verifying" | "reading"
  readonly table: string
  /** The rows of all tables that are done in this step, and the number of rows of all tables. */
  readonly done: bigint
  readonly total: bigint
}

/** How a copy or a comparison tells what it does. */
export interface CopyReports {
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Called for each connection to a PostgreSQL store on another machine without TLS; refuses the connection if it throws. */
  readonly onPlainText?: ((host: string, store: DatabaseUrl) => void) | undefined
}

/** Options for a copy. */
export interface CopyOptions extends CopyReports {
  /** Whether to move an existing store aside. By default, it is refused. */
  readonly replace: boolean
}

/** A copy's result: what source and target contain. */
export interface Copied extends WholeContents {
  /** Where the former store was moved, if there was one: a file, or a schema of the database. */
  readonly movedAside: string | undefined
}

const readerOf = (url: DatabaseUrl, { onPlainText }: CopyReports): Opened<StoreReader> =>
  url.adapter === "postgres"
    ? Effect.flatMap(
        Effect.promise(() => import("../postgres/whole-store.js")),
        ({ readPostgres }) => readPostgres(url.url, (host) => onPlainText?.(host, url)),
      )
    : Effect.flatMap(openable(url), ({ engine, path }) =>
        Effect.flatMap(
          Effect.promise(() => import("../sqlite/whole-store.js")),
          ({ readSqlite }) => readSqlite(engine, path),
        ),
      )

const writerOf = (url: DatabaseUrl, { replace, onPlainText }: CopyOptions): Opened<StoreWriter> =>
  url.adapter === "postgres"
    ? Effect.flatMap(
        Effect.promise(() => import("../postgres/whole-store.js")),
        ({ writePostgres }) => writePostgres(url.url, replace, (host) => onPlainText?.(host, url)),
      )
    : Effect.flatMap(openable(url), ({ engine, path }) =>
        Effect.flatMap(
          Effect.promise(() => import("../sqlite/whole-store.js")),
          ({ writeSqlite }) => writeSqlite(engine, path, replace),
        ),
      )

/** Reads all tables. Returns their contents. */
const readAll = (
  reader: StoreReader,
  step: CopyProgress["step"],
  onProgress: CopyOptions["onProgress"],
  use: (table: CopiedTable, rows: ReadonlyArray<CopiedRow>) => Copying<void>,
): Copying<ReadonlyArray<TableContents>> =>
  Effect.gen(function* () {
    let [done, total] = [0n, 0n]
    for (const table of copiedTables) total += yield* reader.count(table)
    const contents: Array<TableContents> = []
    for (const table of copiedTables) {
      const hash = hashRows(table)
      for (let after: CopiedRow | undefined; ; ) {
        const rows = yield* reader.read(table, after)
        yield* use(table, rows)
        hash.add(rows)
        done += BigInt(rows.length)
        onProgress?.({ step, table: table.name, done, total })
        if (rows.length < rowsAtOnce) break
        after = rows.at(-1)
      }
      contents.push(hash.contents())
    }
    return contents
  })

/**
 * Copies a whole store: pets, orders, categories, accounts, keys with their states, idempotency keys, counts of deprecated calls,
 * and which identifiers were assigned. An app's own tables are not copied. The target is not accepted as a store before it is
 * complete and verified; a repetition after an interruption starts again. What is written to the source after the copy has begun
 * is not in the copy, so stop the service first. Fails with `BackupFailed` or `StorageNotOpened`.
 */
export const copyStore = (
  from: DatabaseUrl,
  to: DatabaseUrl,
  options: CopyOptions,
): Effect.Effect<Copied, BackupFailed | StorageNotOpened> =>
  Effect.gen(function* () {
    if (nameOfStore(from) === nameOfStore(to)) {
      return yield* new BackupFailed({ reason: `${nameOfStore(to)} is the store itself. Copy it to another place.` })
    }
    const source = yield* readerOf(from, options)
    const state = yield* source.state
    const target = yield* writerOf(to, options)
    return yield* Effect.mapError(fill(target, source, state, options), (failure) =>
      target.aside === undefined
        ? failure
        : new BackupFailed({ reason: `${failure.reason} The previous store was moved to ${target.aside}.`, cause: failure }),
    )
  }).pipe(Effect.scoped)

const fill = (target: StoreWriter, source: StoreReader, state: StoreState, { onProgress }: CopyOptions): Copying<Copied> =>
  Effect.gen(function* () {
    const read = yield* readAll(source, "copying", onProgress, (table, rows) =>
      rows.length === 0 ? Effect.void : target.write(table, rows),
    )
    yield* target.setState(state)
    const expected = wholeContents(read, state)
    const written = yield* readAll(target, "verifying", onProgress, () => Effect.void)
    const found = wholeContents(written, yield* target.state)
    if (found.checksum !== expected.checksum) {
      const wrong = read.find(({ checksum }, index) => written[index]?.checksum !== checksum)
      const reason = `The copy differs from the store (${wrong?.table ?? "state"}). It was not put into place. Copy again.`
      return yield* new BackupFailed({ reason })
    }
    return { ...expected, movedAside: yield* target.publish }
  })

/** The contents of a store with checksums, to compare two stores on any engines. Fails like {@link copyStore}. */
export const checksumStore = (
  url: DatabaseUrl,
  reports: CopyReports = {},
): Effect.Effect<WholeContents, BackupFailed | StorageNotOpened> =>
  Effect.gen(function* () {
    const reader = yield* readerOf(url, reports)
    const tables = yield* readAll(reader, "reading", reports.onProgress, () => Effect.void)
    return wholeContents(tables, yield* reader.state)
  }).pipe(Effect.scoped)
