/** A store that a copy fills: which database may be filled, and how other programs are kept from accepting it before the end. */
import * as Effect from "effect/Effect"
import { copiedTables } from "../copy/tables.js"
import { inTransaction, type Run } from "./engine/connection.js"
import type { Opening, StatementFailed } from "./engine/errors.js"
import { emptyVersion, migrate, onState, storeTables, versionOf } from "./migrations.js"

/** How long after the last sign of a service its store counts as in use. */
const signOfService = "30 seconds"

/** Whether a service uses the store. A service that stops removes its row; one that was killed may be started again. */
export const isUsed = (run: Run): Effect.Effect<boolean, StatementFailed> =>
  Effect.map(
    run(`SELECT 1 FROM petstore_processes WHERE id <> 'name words' AND wrote_at > now() - interval '${signOfService}'`).pipe(
      onState([], "42P01"),
    ),
    (rows) => rows.length > 0,
  )

/** Whether a database has a store, and whether a copy may fill it: only if it has no rows yet. */
export const storeOf = (run: Run): Effect.Effect<"free" | "filled" | "in use", StatementFailed> =>
  Effect.gen(function* () {
    const version = yield* versionOf(run)
    if (version <= 0 || version === emptyVersion) return "free"
    if (yield* isUsed(run)) return "in use"
    const isFilled = ["pets", "orders", "categories", "accounts"].map((table) => `(SELECT 1 FROM ${table} LIMIT 1)`)
    const rows = yield* run(isFilled.join(" UNION ALL ")).pipe(onState([[1]], "42P01"))
    return rows.length > 0 ? "filled" : "free"
  })

/** Moves every table of the store to a schema of its own. Returns the schema's name. */
export const moveAside = (run: Run): Effect.Effect<string, StatementFailed> => {
  const schema = `replaced_petstore_${new Date().toISOString().replaceAll(/\D/g, "")}`
  const move = Effect.forEach(storeTables, (table) => run(`ALTER TABLE IF EXISTS ${table} SET SCHEMA ${schema}`))
  return Effect.as(inTransaction(run, Effect.zipRight(run(`CREATE SCHEMA ${schema}`), move)), schema)
}

/**
 * Begins to fill a store, from the beginning if an earlier copy was interrupted. The schema version is negative until the end, so
 * that no program accepts the store.
 */
export const beginCopy = (run: Run, beside: Run, me: string): Opening =>
  Effect.gen(function* () {
    yield* run("UPDATE petstore_schema SET version = -version WHERE only_row = 1 AND version < 0").pipe(onState([], "42P01"))
    yield* migrate(run, beside, { migrate: true })
    yield* run("UPDATE petstore_schema SET version = -version, claimed_by = $1 WHERE only_row = 1", [me])
    yield* run(`TRUNCATE removed_changes, ${copiedTables.map(({ name }) => name).join()}`)
  })

/** Whether a copy may still write: no other one has begun to fill the store. */
export const holdsCopy = (run: Run, me: string): Effect.Effect<boolean, StatementFailed> =>
  Effect.map(
    run("SELECT 1 FROM petstore_schema WHERE only_row = 1 AND version < 0 AND claimed_by = $1 FOR SHARE", [me]),
    (rows) => rows.length > 0,
  )

/** Makes a filled store one that programs accept. */
export const endCopy = (run: Run): Effect.Effect<unknown, StatementFailed> =>
  run("UPDATE petstore_schema SET version = -version WHERE only_row = 1")
