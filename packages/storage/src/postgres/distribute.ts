import * as Effect from "effect/Effect"
import type { DistributeOptions } from "../distribution.js"
import { StorageNotOpened } from "../storage-not-opened.js"
import { appTables, isKnown, spreadTable } from "./app-table.js"
import type { Run } from "./engine/connection.js"
import { notOpened, openAlone } from "./engine/database.js"
import type { Opening, StatementFailed } from "./engine/errors.js"
import { postgresDefaults } from "./engine/options.js"
import { storeTables, underSchemaClaim } from "./migrations.js"
import { prepareSpreadChanges } from "./spread-changes.js"

/** The store's large tables, each with its distribution column. No query joins two of them on that column. */
const spreadTables = [
  ["pets", "id"],
  ["orders", "id"],
  ["idempotency_keys", "key"],
] as const

/** The tables of changes, which are distributed by slot. A slot is on the shard of its pets. */
const changeTables = ["changes", "inventory", "removed_changes"] as const

/**
 * The small tables. They stay on the coordinator, and every node can query them. They are not reference tables, because a
 * reference table accepts no writes, such as the revocation of an API key, while a worker is down.
 */
const smallTables = storeTables.filter(
  (table) => ![...spreadTables.map(([name]) => name), ...changeTables, "categories"].includes(table),
)

const refused = (reason: string) => new StorageNotOpened({ reason })

/** The number of workers in the cluster, or the reason why the database cannot be distributed. */
const workersOf = (run: Run): Opening<number> =>
  Effect.gen(function* () {
    const known = yield* run("SELECT 1 FROM pg_extension WHERE extname = 'citus'")
    if (known.length === 0) {
      return yield* refused(
        "Citus is not installed in the database. Run CREATE EXTENSION citus in this database on every node, then citus_add_node.",
      )
    }
    // The coordinator is group 0, here and in the list of nodes.
    const here = yield* run("SELECT 1 FROM pg_dist_local_group WHERE groupid = 0")
    if (here.length === 0) return yield* refused("The store's URL points to a Citus worker. Use the coordinator's address.")
    const coordinator = yield* run("SELECT 1 FROM pg_dist_node WHERE groupid = 0")
    if (coordinator.length === 0) {
      return yield* refused(
        "The address of the Citus coordinator is not set. Run: SELECT citus_set_coordinator_host('HOST', PORT)",
      )
    }
    const workers = yield* run("SELECT 1 FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards")
    if (workers.length === 0) return yield* refused("Citus has no workers. Run: SELECT citus_add_node('HOST', PORT)")
    return workers.length
  })

/** Distributes the remaining tables. Statements are independent, so a second run continues where the first one stopped. */
const spread = (run: Run, shards: number): Effect.Effect<void, StatementFailed> =>
  Effect.gen(function* () {
    for (const [table, column] of [...spreadTables, ...(yield* appTables(run))]) yield* spreadTable(run, table, column, shards)
    yield* prepareSpreadChanges(run)
    for (const table of changeTables) yield* spreadTable(run, table, "slot", "pets")
    for (const table of smallTables) {
      if (!(yield* isKnown(run, table))) yield* run("SELECT citus_add_local_table_to_metadata($1)", [table])
    }
    // A reference table, so that manual joins on any node find the names. While a worker is down, the names are read-only.
    if (!(yield* isKnown(run, "categories"))) yield* run("SELECT create_reference_table('categories')")
    // Makes a page query read a worker's shards one after the other on one cached connection, instead of opening a connection for
    // each shard. The setting is only for this database, because concurrent changes to the role itself would conflict.
    const [database] = yield* run("SELECT quote_ident(current_database())")
    yield* run(`ALTER ROLE CURRENT_USER IN DATABASE ${database?.[0]} SET citus.max_adaptive_executor_pool_size = 1`)
  })

/**
 * Brings the schema up to date and distributes the tables with their rows across the workers. It is safe to run again:
 * distributed tables stay unchanged. While a table is being distributed, its writers wait until they time out.
 *
 * @param url URL of the database on the coordinator
 * @param shards number of shards per large table: a page reads all shards, and every worker has at least one
 */
export const distributePostgres = (url: string, { shards, onPlainText }: DistributeOptions) =>
  Effect.gen(function* () {
    // No timeout: moving the rows can take hours, and an operator supervises the move.
    const { applicationName } = postgresDefaults
    const open = openAlone({ url, applicationName, statementTimeoutMillis: 0, onPlainText })
    const [run, beside] = [yield* open, yield* open]
    const workers = yield* workersOf(run)
    yield* underSchemaClaim(run, beside, spread(run, shards))
    const made = yield* run("SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'pets'::regclass")
    return { workers, shards: made.length }
  }).pipe(
    Effect.scoped,
    Effect.catchTag("StatementFailed", ({ cause }) => notOpened(url, cause)),
  )
