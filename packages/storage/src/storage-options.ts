/** The options of opening a store. */
import type * as Effect from "effect/Effect"
import type { AppTable } from "./app-table.js"
import type { NodeState } from "./postgres/engine/nodes.js"
import type { PostgresOptions } from "./postgres/engine/options.js"
import type { PoolState } from "./postgres/engine/pool-state.js"
import type { StorageNotOpened } from "./storage-not-opened.js"

/** How to open a store. */
export interface StorageOptions {
  /** Whether to bring an older schema up to date when the store is opened. If not, an older schema is refused. */
  readonly migrate: boolean
  /** Tables of the app beside those of the store. With `migrate` they are made or taken; without it they have to be there. */
  readonly appTables?: ReadonlyArray<AppTable>
  /** Whether the store has to be there already. If not, opening it makes one where none is. */
  readonly mustExist?: boolean
  /**
   * Whether to look only, beside other users of the store: nothing is made, not even a lock, and no write succeeds. A server is asked as
   * ever. The store has to be there, with the schema of this release.
   */
  readonly readOnly?: boolean
  /** Hears that there was no store, and that there is one now. */
  readonly onMade?: () => void
  /** Whether the store has readers to keep from waiting: where a disk is slow, a thread of its own then writes. */
  readonly hasReaders?: boolean
  /** Sees how many writes shared each transaction, where the adapter groups them. */
  readonly onGroupCommit?: (writes: number) => void
  /** Gets what tells the state of the connection pool, where the adapter has one, when the store has been opened. */
  readonly onPool?: (state: () => PoolState) => void
  /**
   * Hears, before the store is opened, why a database server may lose what it acknowledges, in a sentence
   * for the operator, and may refuse it. Without it nothing is checked.
   */
  readonly onVolatile?: (reason: string) => Effect.Effect<void, StorageNotOpened>
  /** How a PostgreSQL server is used, `postgresDefaults` if absent. Other stores ignore it. */
  readonly postgres?: PostgresOptions
}

/** The options that only the service needs. */
export interface ServiceStorageOptions extends StorageOptions {
  /** Whether processes of a service may have the store open too: on a SQLite file one of them, which has readers, then writes for all. */
  readonly hasSiblings?: boolean
  /** Gets what asks the nodes of a cluster whether they answer, where the adapter has several, when the store has been opened. */
  readonly onNodes?: (states: () => Promise<ReadonlyArray<NodeState>>) => void
}
