/** Reads and fills whole PostgreSQL stores for a copy to or from another engine. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { BackupFailed } from "../backup-failed.js"
import { sqlReader } from "../copy/sql-reader.js"
import type { CopiedRow, CopiedTable, Copying, Opened, Source, StoreReader, StoreState, StoreWriter } from "../copy/tables.js"
import { nameOfStore } from "../database-url.js"
import { wordsTextOf } from "../words-text.js"
import { inTransaction, type Run } from "./engine/connection.js"
import { notOpened, openAlone } from "./engine/database.js"
import type { StatementFailed } from "./engine/errors.js"
import { type Layout, layoutOf } from "./engine/layout.js"
import { postgresDefaults } from "./engine/options.js"
import { keepsInventory, recountPets, slotOf, slots } from "./inventory-repository.js"
import { migrate } from "./migrations.js"
import { numbered } from "./tables.js"
import { beginCopy, endCopy, holdsCopy, isUsed, moveAside, storeOf } from "./unfinished-copy.js"
import { progressElsewhere } from "./webhook-places.js"

type OnPlainText = (host: string) => void

/** Connects for statements without a time limit: an operator supervises the copy. */
const connect = (url: string, onPlainText: OnPlainText) =>
  openAlone({ url, applicationName: postgresDefaults.applicationName, statementTimeoutMillis: 0, onPlainText })

const connectTo = (url: string, onPlainText: OnPlainText): Opened<Run> =>
  Effect.catchTag(connect(url, onPlainText), "StatementFailed", ({ cause }) => notOpened(url, cause))

const readAs = {
  int8: (column: string) => column,
  text: (column: string) => column,
  flag: (column: string) => `${column}::int::int8`,
}

/** The highest identifier that was assigned, also if SQL by hand chose one itself. */
export const givenIn = (table: "pets" | "orders") =>
  `(SELECT greatest(coalesce((SELECT max(id) FROM ${table}), 0), coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')), 0)))`

/** The tables whose rows have slots, and the slot of a row of another engine. A pet's changes must be in the pet's slot. */
const slotIn: Readonly<Record<string, string>> = { pets: slotOf("given.id"), changes: slotOf("coalesce(given.pet_id, 0)") }

const readerOn = (run: Run, failed: (failure: StatementFailed) => BackupFailed, layout: Layout): StoreReader =>
  sqlReader({
    // Safe: every column that is read is an integer or text.
    rowsOf: (sql, values) => Effect.mapError(run(numbered(sql), values), failed) as Copying<ReadonlyArray<CopiedRow>>,
    columnsOf: ({ name, columns }) => {
      const selected = Object.entries(columns).map(([column, type]) => readAs[type](column))
      return [...selected, ...(slotIn[name] !== undefined && keepsInventory(layout) ? ["slot::int8"] : [])].join()
    },
    selectState: `SELECT deployment, ${givenIn("pets")}, ${givenIn("orders")} FROM petstore_schema WHERE only_row = 1`,
    selectEnds: "SELECT slot, last_change FROM inventory",
    slot: "slot",
    amongIds: "= ANY (?::int8[])",
    valueOfIds: (ids) => ids,
    progressElsewhere: (progress) => Effect.mapError(progressElsewhere(run, layout, progress), failed),
  })

/** The changes that follow get higher identifiers than every change that was copied. */
const raiseAboveChanges = `UPDATE inventory SET last_change = slot + ${slots} * (1 + (SELECT coalesce(max(id), 0) FROM changes) / ${slots})`

const failedAt =
  (url: string) =>
  ({ cause }: StatementFailed): BackupFailed => {
    const name = nameOfStore({ adapter: "postgres", url })
    return new BackupFailed({ reason: `${name}: ${cause instanceof Error ? cause.message : String(cause)}`, cause })
  }

/** A store that other programs may use. */
export const postgresSource = (url: string, onPlainText: OnPlainText): Source => ({
  open: Effect.gen(function* () {
    const run = yield* connectTo(url, onPlainText)
    yield* migrate(run, run, { migrate: false, mustExist: true })
    yield* run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    return readerOn(run, failedAt(url), yield* layoutOf(run))
  }).pipe(Effect.catchTag("StatementFailed", failedAt(url))),
  hold: connectTo(url, onPlainText).pipe(
    Effect.flatMap(isUsed),
    Effect.map((used) => !used),
    Effect.scoped,
    Effect.catchTag("StatementFailed", failedAt(url)),
  ),
})

const arrays = { int8: "int8[]", text: "text[]", flag: "int8[]" }
const written = { int8: (name: string) => name, text: (name: string) => name, flag: (name: string) => `${name} <> 0` }

/** An INSERT of rows that are passed as one array for each column. */
const insertInto = ({ name, columns }: CopiedTable): string => {
  const slot = slotIn[name]
  const entries = [
    ...Object.entries(columns),
    ...(slot === undefined ? [] : [["slot", "int8"] as const]),
    ...(name === "pets" ? [["words", "text"] as const] : []),
  ]
  const names = entries.map(([column]) => column)
  const values = entries.map(([column, type]) =>
    column === "slot" ? `coalesce(given.slot, ${slot})` : written[type](`given.${column}`),
  )
  const given = entries.map(([, type], index) => `$${index + 1}::${arrays[type]}`)
  return `INSERT INTO ${name} (${names.join()}) SELECT ${values.join()} FROM unnest(${given.join()}) AS given (${names.join()})`
}

/** Fills a new store, whose schema version is one that no program accepts until the store is published. */
export const writePostgres = (url: string, replace: boolean, onPlainText: OnPlainText): Opened<StoreWriter> => {
  const failed = failedAt(url)
  return Effect.gen(function* () {
    const run = yield* connectTo(url, onPlainText)
    const beside: Run = (text, values) => Effect.scoped(Effect.flatMap(connect(url, onPlainText), (other) => other(text, values)))
    const existing = yield* storeOf(run)
    if (existing === "in use") {
      return yield* new BackupFailed({
        reason: `A service uses the store ${nameOfStore({ adapter: "postgres", url })}. Stop it first.`,
      })
    }
    if (existing === "filled" && !replace) {
      const reason = `There is already a store in ${nameOfStore({ adapter: "postgres", url })}.`
      return yield* new BackupFailed({ reason, mayReplace: true })
    }
    const aside = existing === "filled" ? yield* moveAside(run) : undefined
    if (!keepsInventory(yield* layoutOf(run))) {
      const reason = `The tables in ${nameOfStore({ adapter: "postgres", url })} are distributed. Copy to a new database, and run petstore migrate --distribute on it.`
      return yield* new BackupFailed({ reason })
    }
    const me = randomUUID()
    yield* beginCopy(run, beside, me)

    /** Runs a change unless another copy has begun to fill this store. */
    const asOwner = <A>(work: Effect.Effect<A, StatementFailed>): Copying<A> =>
      inTransaction(
        run,
        Effect.gen(function* () {
          if (!(yield* holdsCopy(run, me))) return yield* new BackupFailed({ reason: "Another copy fills this store now." })
          return yield* work
        }),
      ).pipe(Effect.catchTag("StatementFailed", failed))

    const write = (table: CopiedTable, rows: ReadonlyArray<CopiedRow>) => {
      const columns = [...Object.keys(table.columns), ...(slotIn[table.name] === undefined ? [] : ["slot"])]
      const values: Array<ReadonlyArray<unknown>> = columns.map((_, index) => rows.map((row) => row[index] ?? null))
      if (table.name === "pets") values.push(rows.map((row) => wordsTextOf(String(row[1]))))
      return asOwner(run(insertInto(table), values))
    }

    const remove = ({ name }: CopiedTable, ids: ReadonlyArray<bigint>) =>
      asOwner(Effect.asVoid(run(`DELETE FROM ${name} WHERE id = ANY ($1::int8[])`, [ids])))

    const clear = ({ name }: CopiedTable) => asOwner(Effect.asVoid(run(`DELETE FROM ${name}`)))

    const setState = ({ deployment, given }: StoreState) =>
      asOwner(
        Effect.gen(function* () {
          yield* run("UPDATE petstore_schema SET deployment = $1 WHERE only_row = 1", [deployment])
          for (const [table, id] of Object.entries(given)) {
            if (id > 0n) yield* run("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [table, id])
          }
          yield* recountPets(run)
          yield* run(raiseAboveChanges)
        }),
      )

    return {
      ...readerOn(run, failed, "one node"),
      write,
      remove,
      clear,
      setState,
      aside,
      publish: Effect.as(asOwner(endCopy(run)), aside),
    }
  }).pipe(Effect.catchTag("StatementFailed", failed))
}
