/** Where the rows of a PostgreSQL store are: on one node, or distributed over several by Citus. */
import * as Effect from "effect/Effect"
import { StorageNotOpened } from "../../storage-not-opened.js"
import type { Run } from "./connection.js"
import type { StatementFailed } from "./errors.js"

/**
 * - `"one node"`: one server has every row
 * - `"spread"`: each row of the large tables is on the node of its identifier; see `distribute.ts`
 *
 * Statements are the same on both if they cost the same. Others depend on this.
 */
export type Layout = "one node" | "spread"

/**
 * Asked once, when the store is opened. The extension alone does not count, only distributed tables. Refuses tables that an older
 * release has distributed.
 */
export const layoutOf = (run: Run): Effect.Effect<Layout, StatementFailed | StorageNotOpened> =>
  Effect.gen(function* () {
    const [known] = yield* run("SELECT to_regclass('pg_catalog.pg_dist_partition')::text")
    if (known?.[0] == null) return "one node"
    const [spread] = yield* run(
      "SELECT to_regproc('close_order')::text FROM pg_dist_partition WHERE logicalrelid = to_regclass('pets') AND partmethod = 'h'",
    )
    if (spread === undefined) return "one node"
    if (spread[0] === null) {
      const reason = "The rows of the store were distributed by an older release. Distribute the store again."
      return yield* new StorageNotOpened({ reason })
    }
    return "spread"
  })
