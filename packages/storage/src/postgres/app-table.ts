/** An SQL comment marks an app's table and names its distribution column, so that programs without the app can distribute it. */
import * as Effect from "effect/Effect"
import { AppDatabase, type AppTable } from "../app-table.js"
import type { Run } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Opening, StatementFailed } from "./engine/errors.js"
import { layoutOf } from "./engine/layout.js"
import { ignoreCollision } from "./migrations.js"

const comment = (column: string): string => `Guest of the pet store, spread by ${column}`

/** Creates missing tables, and adopts existing ones with their rows. An adopted table needs only one query. */
export const makeAppTables = (run: Run, tables: ReadonlyArray<AppTable>): Opening =>
  Effect.forEach(
    tables,
    ({ name, create, distributionColumn = "id" }) =>
      Effect.gen(function* () {
        const [described] = yield* run("SELECT obj_description(to_regclass($1), 'pg_class')", [name])
        if (described?.[0] === comment(distributionColumn)) return
        yield* ignoreCollision(run(create.postgres))
        if ((yield* layoutOf(run)) === "spread") {
          const shards = yield* run("SELECT 1 FROM pg_dist_shard WHERE logicalrelid = 'pets'::regclass")
          yield* spreadTable(run, name, distributionColumn, shards.length)
        }
        // Last, so that an unfinished adoption is repeated after a crash. COMMENT accepts no parameters.
        yield* run(`COMMENT ON TABLE ${name} IS '${comment(distributionColumn)}'`)
      }),
    { discard: true },
  )

export const appTables = (run: Run): Effect.Effect<ReadonlyArray<readonly [table: string, column: string]>, StatementFailed> =>
  Effect.map(
    run(
      `SELECT relname::text, obj_description(oid, 'pg_class') FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND obj_description(oid, 'pg_class') LIKE $1
       ORDER BY relname`,
      [comment("%")],
    ),
    (rows) => rows.map(([table, described]) => [String(table), String(described).slice(comment("").length)] as const),
  )

export const isKnown = (run: Run, table: string): Effect.Effect<boolean, StatementFailed> =>
  Effect.map(run("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)", [table]), (rows) => rows.length > 0)

/**
 * Distributes a table's rows across the workers of a Citus cluster, over a number of shards or over those of another table, unless
 * the table is already distributed.
 */
export const spreadTable = (
  run: Run,
  table: string,
  column: string,
  shards: number | "pets",
): Effect.Effect<void, StatementFailed> =>
  Effect.gen(function* () {
    if (!(yield* isKnown(run, table))) {
      const [where, value] = shards === "pets" ? ["colocate_with", shards] : ["colocate_with => 'none', shard_count", shards]
      yield* run(`SELECT create_distributed_table($1, $2, ${where} => $3)`, [table, column, value])
    }
    // Removes the coordinator's copies of moved rows, which are no longer visible. Does nothing if no copies remain.
    yield* run("SELECT truncate_local_data_after_distributing_table($1)", [table])
  })

export const postgresAppDatabase = ({ read, write }: Database) =>
  AppDatabase.of({ dialect: "postgres", read, write: (sql, values) => Effect.asVoid(write(sql, values)) })
