/** Where a PostgreSQL store's rows are: on one node, or distributed across several nodes by Citus. */
import * as Effect from "effect/Effect"
import type { Run } from "./connection.js"
import type { StatementFailed } from "./errors.js"

/**
 * - `"one node"`: one server stores every row
 * - `"spread"`: a large table's row is on the node that its identifier determines; see `distribute.ts`
 *
 * A statement has one text for both layouts, unless separate texts are faster.
 */
export type Layout = "one node" | "spread"

/** Determines a store's layout from its distributed tables, not the extension. */
export const layoutOf = (run: Run): Effect.Effect<Layout, StatementFailed> =>
  Effect.gen(function* () {
    const [known] = yield* run("SELECT to_regclass('pg_catalog.pg_dist_partition')::text")
    if (known?.[0] == null) return "one node"
    const spread = yield* run("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('pets') AND partmethod = 'h'")
    return spread.length === 0 ? "one node" : "spread"
  })
