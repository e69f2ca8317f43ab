/** Copies of stores in plain values: their content, the options of a restore, and its result. */
import type { Deployment } from "@petstore/core/promise"

/** The count and checksum of a store. */
export interface Contents {
  readonly pets: bigint
  /** SHA-256 of the schema and of every row of every table, hexadecimal. */
  readonly checksum: string
}

/** The options of a restore. */
export interface RestoreOptions {
  /** Called when a long step begins, such as `verifying the copy`. */
  readonly onStep?: (step: string) => void
  /** Whether to move an existing store aside; if not, it stays and the restore fails. */
  readonly replace: boolean
  /** Whether to accept keys whose state since the backup is unknown. They are revoked by default. */
  readonly withKeys?: boolean
  /** The deployment of the caller, if it has one: refuses a backup of another one. */
  readonly deployment?: Deployment
  /** Creates a store of this deployment from a backup of any. The keys of another one are revoked. */
  readonly as?: Deployment
}

/** What a restore did with API keys. */
export interface RestoredKeys {
  /** Keys that are not in the backup, kept from the former store. */
  readonly added: number
  /** Keys of the backup that are refused or end earlier, as in the former store. */
  readonly ended: number
  /** Keys of the backup that were revoked, because their later state is unknown or they are of another deployment. */
  readonly revoked: number
  /** Keys of the backup whose later state is unknown, accepted because of `withKeys`. */
  readonly trusted: number
  /** Keys that the store accepts now. */
  readonly accepted: number
  /** The name of the oldest account, for a new key. */
  readonly account: string | undefined
}

/** The result of a restore. */
export interface Restored extends Contents {
  readonly keys: RestoredKeys
  /** The place of the former store, or of its rest, if there was one. */
  readonly movedAside: string | undefined
  /** Whether the former store was unreadable. It was moved unchanged, with its logs. */
  readonly wasDamaged: boolean
}
