/** Stores as plain functions and promises, without Effect types. */
import { petstoreOf } from "@petstore/core/layer"
import type { Petstore } from "@petstore/core/promise"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as backup from "./backup.js"
import { type DatabaseUrl, decodeDatabaseUrl } from "./database-url.js"
import * as distribute from "./distribute.js"
import type { Distribution } from "./distribution.js"
import { nodeCryptography } from "./node-cryptography.js"
import type { PostgresOptions } from "./postgres/engine/options.js"
import { storage } from "./storage.js"
import type { Contents, Restored, RestoreOptions } from "./store-copy.js"

export type { Distribution } from "./distribution.js"
export { type PostgresOptions, postgresDefaults } from "./postgres/engine/options.js"
export type { Contents, Restored, RestoredKeys, RestoreOptions } from "./store-copy.js"

/** How to open a store. */
export interface OpenOptions {
  /**
   * Whether to bring an older schema up to date, and to create a missing store, including its folders. If `false`, an older or
   * missing store is refused.
   */
  readonly migrate: boolean
  /** Whether the store must already exist, even if `migrate` would create it. */
  readonly mustExist?: boolean | undefined
  /** How to use a PostgreSQL server. Other stores ignore this option. */
  readonly postgres?: PostgresOptions | undefined
}

/**
 * Opens a store, and returns its operations as promises. If the store cannot be opened, rejects with an `Error` whose `name`
 * is `StorageNotOpened` and whose message states the reason.
 *
 * @param url  such as `sqlite:./data/petstore.db`
 * @example
 * const petstore = await openPetstore("memory:", { migrate: true })
 * await petstore.createPet({ name: "Bello", categoryId: 7n }) // { ok: true, value: { id: 1n, name: "Bello", categoryId: 7n } }
 * await petstore.close()
 */
export const openPetstore = async (url: string, options: OpenOptions): Promise<Petstore> =>
  petstoreOf(Layer.merge(storage(url, options), nodeCryptography))

/**
 * Copies a store to a new file while other processes use the store. If the copy fails, rejects with an `Error` whose message
 * states the reason, and leaves no file behind.
 *
 * @param options `replace`: whether to replace an existing file once the copy is complete; by default an existing file is refused
 */
export const backupStore = async (
  url: string,
  file: string,
  options?: { readonly replace?: boolean | undefined },
): Promise<Contents> => settled(backup.backupStore(databaseOf(url), file, options))

/**
 * Creates a store from a backup. If the restore fails, rejects with an `Error` whose message states the reason. An existing store
 * is then unchanged. Pets revert to their state in the backup; accounts and API keys do not: see `RestoredKeys`.
 */
export const restoreStore = async (url: string, file: string, options: RestoreOptions): Promise<Restored> =>
  settled(backup.restoreStore(databaseOf(url), file, options))

/**
 * Brings a PostgreSQL store's schema up to date, and distributes the store with its rows across the workers of a Citus cluster.
 * Running the function again is safe. For other stores, or if Citus is not installed, rejects with an `Error` whose message
 * states the reason.
 *
 * @param options `shards`: number of shards per large table
 */
export const distributeStore = async (url: string, options: { readonly shards: number }): Promise<Distribution> =>
  settled(distribute.distributeStore(databaseOf(url), options))

const databaseOf = (url: string): DatabaseUrl => Either.getOrThrowWith(decodeDatabaseUrl(url), (failure) => failure)

/** Rejects with the failure itself instead of Effect's wrapper. */
const settled = async <A>(effect: Effect.Effect<A, Error>): Promise<A> =>
  Either.getOrThrowWith(await Effect.runPromise(Effect.either(effect)), (failure) => failure)
