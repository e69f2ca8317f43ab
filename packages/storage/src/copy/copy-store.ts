/** Copies a whole store into a new one on any engine, and computes checksums that are equal on every engine. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { BackupFailed } from "../backup-failed.js"
import { type DatabaseUrl, nameOfStore } from "../database-url.js"
import { openable } from "../openable.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import { followedTables, followStore } from "./follow-store.js"
import { type CopyProgress, contentsOf, differs, readAll, verify } from "./reading.js"
import {
  type Copying,
  copiedTables,
  type Opened,
  type Source,
  type StoreWriter,
  type WholeContents,
  wholeContents,
} from "./tables.js"

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
  /** Follows what services write until they are stopped, and is called when that can be done: the copy is whole and verified. */
  readonly follow?: (() => void) | undefined
}

/** A copy's result: what source and target contain. */
export interface Copied extends WholeContents {
  /** Where the former store was moved, if there was one: a file, or a schema of the database. */
  readonly movedAside: string | undefined
}

const sourceOf = (url: DatabaseUrl, { onPlainText }: CopyReports): Effect.Effect<Source, BackupFailed | StorageNotOpened> =>
  url.adapter === "postgres"
    ? Effect.map(
        Effect.promise(() => import("../postgres/whole-store.js")),
        ({ postgresSource }) => postgresSource(url.url, (host) => onPlainText?.(host, url)),
      )
    : Effect.flatMap(openable(url), ({ engine, path }) =>
        Effect.map(
          Effect.promise(() => import("../sqlite/whole-store.js")),
          ({ sqliteSource }) => sqliteSource(engine, path),
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

/**
 * Copies a whole store: pets, orders, categories, accounts, keys with their states, idempotency keys, webhooks, the history, counts
 * of deprecated calls, and which identifiers were assigned. An app's own tables are not copied. The target is not accepted as a
 * store before it is complete and verified; a repetition after an interruption starts again. With `follow`, services may use the
 * source: what they write is copied too, until they are stopped. Without it, what is written after the copy has begun is not in
 * the copy. Fails with `BackupFailed` or `StorageNotOpened`.
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
    const source = yield* sourceOf(from, options)
    const whole = yield* Effect.scope
    const { onProgress, follow } = options
    const begun = yield* Effect.scoped(
      Effect.gen(function* () {
        const reader = yield* source.open
        const [state, ends] = [yield* reader.state, yield* reader.ends]
        const target = yield* Scope.extend(writerOf(to, options), whole)
        const tables = follow === undefined ? copiedTables : followedTables
        const copying = readAll(tables, reader, "copying", onProgress, (table, rows) =>
          rows.length === 0 ? Effect.void : target.write(table, rows),
        )
        return { target, state, ends, sums: yield* sayingAside(target, copying) }
      }),
    )
    const { target } = begun
    return yield* sayingAside(
      target,
      Effect.gen(function* () {
        const followed = follow === undefined ? begun : yield* followStore(source, { ...begun, follow, onProgress, whole })
        yield* target.setState(followed.state)
        if (follow === undefined) yield* verify(copiedTables, target, begun.sums, onProgress)
        const found = yield* target.state
        const expected = wholeContents(contentsOf(followed.sums), followed.state)
        if (wholeContents(expected.tables, found).checksum !== expected.checksum) return yield* differs("state")
        return { ...expected, movedAside: yield* target.publish }
      }),
    )
  }).pipe(Effect.scoped)

const sayingAside = <A>({ aside }: StoreWriter, work: Copying<A>): Copying<A> =>
  Effect.mapError(work, (failure) =>
    aside === undefined
      ? failure
      : new BackupFailed({ reason: `${failure.reason} The previous store was moved to ${aside}.`, cause: failure }),
  )

/** The contents of a store with checksums, to compare two stores on any engines. Fails like {@link copyStore}. */
export const checksumStore = (
  url: DatabaseUrl,
  reports: CopyReports = {},
): Effect.Effect<WholeContents, BackupFailed | StorageNotOpened> =>
  Effect.gen(function* () {
    const reader = yield* Effect.flatMap(sourceOf(url, reports), ({ open }) => open)
    const sums = yield* readAll(copiedTables, reader, "reading", reports.onProgress, () => Effect.void)
    return wholeContents(contentsOf(sums), yield* reader.state)
  }).pipe(Effect.scoped)
