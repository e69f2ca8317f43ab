/** The options of opening a store. */
import type * as Effect from "effect/Effect"
import type { AppTable } from "./app-table.js"
import type { NodeState } from "./postgres/engine/nodes.js"
import type { PostgresOptions } from "./postgres/engine/options.js"
import type { PoolState } from "./postgres/engine/pool-state.js"
import type { StorageNotOpened } from "./storage-not-opened.js"

/** How to open a store. */
export interface StorageOptions {
  /** Whether to bring an older schema up to date, and to create a missing store, its folders included. If not, such a store is refused. */
  readonly migrate: boolean
  /** Tables of the app beside those of the store. With `migrate` they are created or adopted; without it they must exist. */
  readonly appTables?: ReadonlyArray<AppTable>
  /** Whether the store must exist, although `migrate` would create it. */
  readonly mustExist?: boolean
  /**
   * Whether to open it read-only, beside other users: creates nothing, not even a lock, and every write fails. A server is used
   * as usual. The store must exist, with the schema of this release.
   */
  readonly readOnly?: boolean
  /** Called after a missing store was created. */
  readonly onMade?: () => void
  /** Whether readers use the store: then a separate thread writes on slow disks. */
  readonly hasReaders?: boolean
  /** Called with the number of writes of each transaction, if the adapter groups them. */
  readonly onGroupCommit?: (writes: number) => void
  /** Called with a function that returns the state of the connection pool, if the adapter has one, when the store was opened. */
  readonly onPool?: (state: () => PoolState) => void
  /**
   * Called before the store is opened, if a database server may lose acknowledged writes, with the reason for the operator; it
   * may refuse the server. Without it nothing is checked.
   */
  readonly onVolatile?: (reason: string) => Effect.Effect<void, StorageNotOpened>
  /** How a PostgreSQL server is used, `postgresDefaults` if absent. Other stores ignore it. */
  readonly postgres?: PostgresOptions
}

/** The options that only the service needs. */
export interface ServiceStorageOptions extends StorageOptions {
  /**
   * Whether other processes of a service may have the store open: on a SQLite file one process with readers then writes for all.
   */
  readonly hasSiblings?: boolean
  /**
   * Whether pets of a SQLite file may stay without search keys until a service or a migration opens it: a command that searches
   * for no name does not wait for the keys of an earlier import.
   */
  readonly leavesSearchKeys?: boolean
  /** Called with a function that checks the nodes of a cluster, if the adapter has several, when the store was opened. */
  readonly onNodes?: (states: () => Promise<ReadonlyArray<NodeState>>) => void
}
