import type { Deployment } from "@petstore/core/promise"

/** A store's pet count and checksum. */
export interface Contents {
  readonly pets: bigint
  /** SHA-256 of the schema and of every row in every table, in hexadecimal. */
  readonly checksum: string
}

/** Options for a restore. */
export interface RestoreOptions {
  /** Called when a long step begins, such as `verifying the copy`. */
  readonly onStep?: ((step: string) => void) | undefined
  /** Whether to move an existing store aside. If `false`, an existing store is left in place and the restore fails. */
  readonly replace: boolean
  /** Whether to accept keys whose state since the backup is unknown. They are revoked by default. */
  readonly withKeys?: boolean | undefined
  /** Whether to accept a store's file that no backup made, with its log or journal. Its pages are checked, but it has no checksum. */
  readonly unverified?: boolean | undefined
  /** The caller's deployment, if it has one. A backup of another deployment is refused. */
  readonly deployment?: Deployment | undefined
  /** Creates a store for this deployment from a backup of any deployment. Keys of another deployment are revoked. */
  readonly as?: Deployment | undefined
}

/** What a restore did with API keys. */
export interface RestoredKeys {
  /** Number of keys that are not in the backup and were kept from the former store. */
  readonly added: number
  /** Number of keys in the backup that are revoked or expire earlier, as in the former store. */
  readonly ended: number
  /** Number of keys in the backup that were revoked: their later state is unknown, or they belong to another deployment. */
  readonly revoked: number
  /** Number of keys in the backup whose later state is unknown, and that were accepted because of `withKeys`. */
  readonly trusted: number
  /** Number of keys that the store accepts now. */
  readonly accepted: number
  /** The oldest account's name, for creating a new key. */
  readonly account: string | undefined
}

/** A restore's result. */
export interface Restored extends Contents {
  readonly keys: RestoredKeys
  /** Where the former store or its remains were moved, if there was a former store. */
  readonly movedAside: string | undefined
  /** Whether the former store was unreadable. Such a store is moved unchanged, with its logs. */
  readonly wasDamaged: boolean
}
