/** Copies of stores in plain values: what one holds, what a restore may do, and its outcome. */
import type { Deployment } from "@petstore/core/promise"

/** A store in two numbers. */
export interface Contents {
  readonly pets: bigint
  /** SHA-256 of the schema and of every row of every table, hexadecimal. */
  readonly checksum: string
}

/** What a restore may do. */
export interface RestoreOptions {
  /** Called when a long step begins, such as `verifying the copy`. */
  readonly onStep?: (step: string) => void
  /** Whether a store that is there already is moved aside; if not, it is kept and nothing happens. */
  readonly replace: boolean
  /** Whether to accept keys of which nothing tells whether they were revoked since the backup. They are revoked if absent. */
  readonly withKeys?: boolean
  /** The deployment of the caller, if it has one: a backup of another one is refused. */
  readonly deployment?: Deployment
  /** Makes a store of this deployment, whichever one was backed up. The keys of another one are revoked. */
  readonly as?: Deployment
}

/** What a restore did with API keys. */
export interface RestoredKeys {
  /** Keys that the backup does not have, kept from the store that was there. */
  readonly added: number
  /** Keys of the backup that are refused, or end earlier, because the store that was there says so. */
  readonly ended: number
  /** Keys of the backup that were revoked, because nothing tells their outcome, or because they are of another deployment. */
  readonly revoked: number
  /** Keys of the backup whose later state is unknown, accepted because of `withKeys`. */
  readonly trusted: number
  /** Keys that the store accepts now. */
  readonly accepted: number
  /** The name of the oldest account: it can have a new key. */
  readonly account: string | undefined
}

/** The outcome of a restore. */
export interface Restored extends Contents {
  readonly keys: RestoredKeys
  /** Where the store is that was there before, if there was one, or what was left of it. */
  readonly movedAside: string | undefined
  /** Whether that store could not be read. It was moved as it is, with its logs. */
  readonly wasDamaged: boolean
}
