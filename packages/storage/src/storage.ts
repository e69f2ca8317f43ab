/** From a database URL to one layer with every repository. */
import type {
  CredentialRepository,
  DeploymentRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
} from "@petstore/core"
import { Effect, Layer } from "effect"
import type { DatabaseUrl } from "./database-url.js"
import type { GuestDatabase, GuestTable } from "./guest.js"
import { memoryStorage } from "./memory/storage.js"
import type { NodeState } from "./postgres/engine/nodes.js"
import type { PostgresOptions } from "./postgres/engine/options.js"
import type { PoolState } from "./postgres/engine/pool-state.js"
import type { StorageNotOpened } from "./storage-not-opened.js"

/** Everything a store keeps, and the way to tables of an app beside it. */
export type Repositories =
  | PetRepository
  | OrderRepository
  | CredentialRepository
  | DeploymentRepository
  | DeprecatedCallRepository
  | InventoryRepository
  | Readiness
  | GuestDatabase

/** How to open a store. */
export interface StorageOptions {
  /** Whether to bring an older schema up to date when the store is opened. If not, an older schema is refused. */
  readonly migrate: boolean
  /** Tables of the app beside those of the store. With `migrate` they are made or taken; without it they have to be there. */
  readonly guests?: ReadonlyArray<GuestTable>
  /** Whether the store has to be there already. If not, opening it makes one where none is. */
  readonly mustExist?: boolean
  /** Hears that there was no store, and that there is one now. */
  readonly onMade?: () => void
  /** Whether the store has readers to keep from waiting: where a disk is slow, a thread of its own then writes. */
  readonly hasReaders?: boolean
  /** Whether processes of the same service have the store open too: on a SQLite file one of them then writes for all. */
  readonly hasSiblings?: boolean
  /** Sees how many writes shared each transaction, where the adapter groups them. */
  readonly onGroupCommit?: (writes: number) => void
  /** Gets what tells the state of the connection pool, where the adapter has one, when the store has been opened. */
  readonly onPool?: (state: () => PoolState) => void
  /** Gets what asks the nodes of a cluster whether they answer, where the adapter has several, when the store has been opened. */
  readonly onNodes?: (states: () => Promise<ReadonlyArray<NodeState>>) => void
  /**
   * Hears, before the store is opened, why a database server may lose what it acknowledges, in a sentence
   * for the operator, and may refuse it. Without it nobody looks.
   */
  readonly onVolatile?: (reason: string) => Effect.Effect<void, StorageNotOpened>
  /** How a PostgreSQL server is used, `postgresDefaults` if absent. Other stores ignore it. */
  readonly postgres?: PostgresOptions
}

/**
 * Opens a store for as long as the layer is used. Fails with `StorageNotOpened`
 * if that is impossible, or if the schema of the store is newer than this program.
 */
export const storage = (url: DatabaseUrl, options: StorageOptions): Layer.Layer<Repositories, StorageNotOpened> => {
  switch (url.adapter) {
    case "memory":
      return memoryStorage
    case "sqljs":
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(async () => ({ ...(await import("@petstore/sqljs")), ...(await import("./sqlite/storage.js")) })),
          // Several processes, such as the commands beside a server, may open one file with a rollback journal only.
          ({ DatabaseSync, sqliteStorage }) => sqliteStorage(DatabaseSync, url.path, options, "never", "DELETE"),
        ),
      )
    case "sqlite":
      // Loaded when it is chosen: the other adapters also run where there is no node:sqlite.
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(async () => ({ ...(await import("node:sqlite")), ...(await import("./sqlite/storage.js")) })),
          ({ DatabaseSync, sqliteStorage }) =>
            sqliteStorage(DatabaseSync, url.path, options, options.hasReaders === true ? "when-slow" : "never"),
        ),
      )
    case "postgres":
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("./postgres/storage.js")),
          ({ postgresStorage }) => postgresStorage(url.url, options),
        ),
      )
  }
}
