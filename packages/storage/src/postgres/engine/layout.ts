/** Where the rows of a PostgreSQL store are: on one node, or spread over several by Citus. */
import * as Effect from "effect/Effect"
import { StorageNotOpened } from "../../storage-not-opened.js"
import type { Run } from "./connection.js"
import type { StatementFailed } from "./errors.js"

/**
 * - `"one node"`: one server has every row
 * - `"spread"`: each row of the large tables is on the node that its identifier leads to; see `distribute.ts`
 *
 * Statements are the same on both wherever they cost the same. Those that are not ask for this.
 */
export type Layout = "one node" | "spread"

/** Asks once, when the store is opened. Seeing Citus is not enough: only tables that were spread count. Refuses those that an older release has spread. */
export const layoutOf = (run: Run): Effect.Effect<Layout, StatementFailed | StorageNotOpened> =>
  Effect.gen(function* () {
    const [known] = yield* run("SELECT to_regclass('pg_catalog.pg_dist_partition')::text")
    if (known?.[0] == null) return "one node"
    const [spread] = yield* run(
      "SELECT to_regproc('close_order')::text FROM pg_dist_partition WHERE logicalrelid = to_regclass('pets') AND partmethod = 'h'",
    )
    if (spread === undefined) return "one node"
    if (spread[0] === null) {
      const reason = "The rows of the store are spread, but an older release did it. Distribute the store again."
      return yield* new StorageNotOpened({ reason })
    }
    return "spread"
  })
