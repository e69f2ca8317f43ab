/** The parts of a run: the service, its store, and the ledger of its clients. */
import type { Environment } from "@petstore/harness/command"
import type { Feed } from "./feed.ts"
import type { RandomLedger } from "./random-ledger.ts"
import type { Service } from "./service.ts"
import type { TorturedStore } from "./stores.ts"

export interface Stage {
  readonly service: Service
  readonly store: TorturedStore
  /** The store's folder. It is on a small separate file system if one could be mounted. */
  readonly folder: string
  /** The file with the offset of the service's clock. */
  readonly clockFile: string
  /** The settings for commands on the store. */
  readonly commands: Environment
  readonly key: string
  readonly ledger: RandomLedger
  readonly feed: Feed
}
