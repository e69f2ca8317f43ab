/** What a run has on its stage: the service, its store, and the ledger of its callers. */
import type { Environment } from "@petstore/harness/command"
import type { Ledger } from "./ledger.ts"
import type { Service } from "./service.ts"
import type { TorturedStore } from "./stores.ts"

/** What a fault may lay its hands on. */
export interface Stage {
  readonly service: Service
  readonly store: TorturedStore
  /** Folder of the store: a small file system of its own, if one could be mounted. */
  readonly folder: string
  /** Holds the offset of the service's clock. */
  readonly clockFile: string
  /** The settings of commands on the store. */
  readonly commands: Environment
  /** The API key of the callers. */
  readonly key: string
  readonly ledger: Ledger
}
