import type * as Effect from "effect/Effect"
import type { AppTable } from "./app-table.js"
import type { NodeState } from "./postgres/engine/nodes.js"
import type { PostgresOptions } from "./postgres/engine/options.js"
import type { PoolState } from "./postgres/engine/pool-state.js"
import type { StorageNotOpened } from "./storage-not-opened.js"

/** How to open a store. */
export interface StorageOptions {
  /**
   * Whether to bring an older schema up to date, and to create a missing store, including its folders. If `false`, an older or
   * missing store is refused.
   */
  readonly migrate: boolean
  /** The app's tables. With `migrate`, missing tables are created and existing ones adopted; otherwise they must exist. */
  readonly appTables?: ReadonlyArray<AppTable> | undefined
  /** Whether the store must already exist, even if `migrate` would create it. */
  readonly mustExist?: boolean | undefined
  /**
   * Whether to open the store read-only while other programs use it. The store then creates no file, not even a lock, and every
   * write fails. The store must exist, with this release's schema. On a server, the option only prevents creation and migration.
   */
  readonly readOnly?: boolean | undefined
  /** Called after a missing store has been created. */
  readonly onMade?: (() => void) | undefined
  /** Whether readers use the store. If so, a separate thread writes on slow disks. */
  readonly hasReaders?: boolean | undefined
  /** Called with the number of writes in each transaction, if the adapter groups writes. */
  readonly onGroupCommit?: ((writes: number) => void) | undefined
  /** Called once the store is open, if the adapter has a connection pool, with a function that returns the pool's state. */
  readonly onPool?: ((state: () => PoolState) => void) | undefined
  /**
   * Called before the store is opened, if a database server can lose acknowledged writes. `reason` is a sentence for the
   * operator. The callback refuses the server if it fails. Without a callback, nothing is checked.
   */
  readonly onVolatile?: ((reason: string) => Effect.Effect<void, StorageNotOpened>) | undefined
  /**
   * Called after another file took the place of an open SQLite file, its former content was put next to it and the new file is
   * complete. Every call fails until the store is opened anew.
   */
  readonly onReplaced?: (() => void) | undefined
  /** Called with sentences for the operator about a SQLite file that was replaced. The default is `process.emitWarning`. */
  readonly onWarning?: ((sentence: string) => void) | undefined
  /** How to use a PostgreSQL server. Other stores ignore this option. */
  readonly postgres?: PostgresOptions | undefined
}

/** Options that only the service needs. */
export interface ServiceStorageOptions extends StorageOptions {
  /**
   * Given by a service: how long to wait until another service of the same SQLite or sql.js file has stopped, in ms. Then the store
   * is refused. Other programs may use the file meanwhile.
   */
  readonly serviceLockMillis?: number | undefined
  /**
   * Whether to leave words of names that SQL by hand has written to the next service or migration that opens the SQLite file. A command then opens a large store at once.
   */
  readonly leavesUpkeep?: boolean | undefined
  /** Called once the store is open, if the adapter has several nodes, with a function that checks the cluster's nodes. */
  readonly onNodes?: ((states: () => Promise<ReadonlyArray<NodeState>>) => void) | undefined
}
