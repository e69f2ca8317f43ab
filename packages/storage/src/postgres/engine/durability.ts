/** Checks whether a PostgreSQL server's settings, and the store's tables, keep acknowledged writes safe. */
import * as Effect from "effect/Effect"
import type { Run } from "./connection.js"
import type { StatementFailed } from "./errors.js"

/** A table that an administrator made unlogged, for example for a faster import. A crash empties such a table. */
const unlogged = `SELECT min(relname::text) FROM pg_class WHERE relpersistence = 'u' AND pg_table_is_visible(oid)
  AND relname IN ('pets', 'orders', 'categories', 'accounts', 'api_keys', 'idempotency_keys', 'petstore_schema')`

/** The settings for this role in this database; NULL on engines without a setting of that name. */
const settings = `SELECT current_setting('fsync', true), current_setting('synchronous_commit', true),
  current_setting('synchronous_standby_names', true), current_setting('client_min_messages', true),
  (${unlogged})`

/** When this role's commits in this database count as done; `undefined` on engines without the setting. */
export const commitOf = (run: Run): Effect.Effect<string | undefined, StatementFailed> =>
  Effect.map(run("SELECT current_setting('synchronous_commit', true)"), ([row]) =>
    row?.[0] == null ? undefined : String(row[0]),
  )

/** Tells the operator why the server can lose acknowledged writes; `undefined` if the server keeps them. */
export const volatilityOf = (run: Run): Effect.Effect<string | undefined, StatementFailed> =>
  Effect.map(run(settings), ([row = []]) => {
    const [fsync, commit, standbys, messages, unloggedTable] = row
    if (unloggedTable != null) {
      return `The table ${unloggedTable} is unlogged: a crash of the PostgreSQL server empties it. Run: ALTER TABLE ${unloggedTable} SET LOGGED.`
    }
    if (fsync === "off") {
      return "The PostgreSQL server runs with fsync = off: a power failure can lose acknowledged pets, or the whole database. Set fsync = on and restart the server."
    }
    const remedy = "Run: ALTER ROLE … SET synchronous_commit = 'on'."
    if (commit === "off") {
      return `The PostgreSQL server runs with synchronous_commit = off: a crash can lose acknowledged pets. ${remedy}`
    }
    if (commit === "local" && standbys !== "" && standbys !== null) {
      return `The PostgreSQL server runs with synchronous_commit = local: the server acknowledges pets before the standbys listed in synchronous_standby_names have them. ${remedy}`
    }
    // Without a pooler, every connection sets this value itself.
    return messages === "error"
      ? "The PostgreSQL server behind the pooler runs with client_min_messages = error, which hides the warning that a standby did not confirm a commit. Run: ALTER ROLE … SET client_min_messages = 'warning'."
      : undefined
  })

/** Checks the message level of a distributed store's coordinator. Without a pooler, the connections set the level themselves. */
export const spreadVolatilityOf = <E>(run: Run<E>): Effect.Effect<string | undefined, E> =>
  Effect.map(run("SHOW client_min_messages"), ([row]) =>
    /^debug/.test(String(row?.[0]))
      ? undefined
      : `The coordinator behind the pooler runs with client_min_messages = ${row?.[0]}, but Citus reports only at level debug1 that a worker's standby did not confirm a commit. Run: ALTER ROLE … SET client_min_messages = 'debug1'.`,
  )
