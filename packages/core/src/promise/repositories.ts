import type { Category } from "../categories/category.js"
import type { Actor } from "../changes/actor.js"
import type { ChangesFound } from "../changes/change.js"
import type { Account } from "../credentials/account.js"
import type { IdempotencyClaim, MadeOnce } from "../idempotency.js"
import type { Inventory } from "../inventory/inventory.js"
import type { Order, OrderFilters, ValidNewOrder } from "../orders/order.js"
import type { OrderClosing, OrderStatus } from "../orders/order-status.js"
import type { Pet, PetStatus } from "../pets/pet.js"
import type { PetOrder } from "../pets/pet-search.js"
import type { ApiKey } from "./accounts.js"
import type { PromisePetRepository } from "./pet-repository.js"

/** Why a pet cannot be ordered: it does not exist, or has another status than `available`. @experimental */
export type OrderRefusedFor = "pet-not-found" | { readonly petStatus: PetStatus | undefined }

/** Which orders to list: at most `limit`, after an identifier, and optionally with one status or of one pet. @experimental */
export interface PromiseOrderSelection extends OrderFilters {
  readonly status: OrderStatus | undefined
  readonly after: bigint | undefined
  readonly limit: number
}

/** The port `OrderRepository` without Effect. An order and its pet change together or not at all. @experimental */
export interface PromiseOrderRepository {
  /** Stores a new order for an `available` pet, which becomes `pending`. */
  readonly insert: (order: ValidNewOrder, createdAt: Date, by?: Actor) => Promise<Order | OrderRefusedFor>

  /** Like `insert`, with a claim, as `insertOnce` of the pets. Refusals are not remembered. */
  readonly insertOnce: (
    order: ValidNewOrder,
    claim: IdempotencyClaim,
    by?: Actor,
  ) => Promise<MadeOnce<Order> | "reused" | OrderRefusedFor>

  /** Closes a placed order, and changes its pet. Repeats are harmless. Refused with the status of an order that cannot be closed so. */
  readonly close: (
    id: bigint,
    closing: OrderClosing,
    closedAt: Date,
    by?: Actor,
  ) => Promise<Order | "not-found" | { readonly orderStatus: OrderStatus }>

  /** Returns a completed order, and its pet to `available`. `changedPet` is the identifier of a pet that is not as it was sold. */
  readonly giveBack: (
    id: bigint,
    returnedAt: Date,
    by?: Actor,
  ) => Promise<Order | "not-found" | { readonly orderStatus: OrderStatus } | { readonly changedPet: bigint }>

  /** Replaces or removes the note of `seen`, the order as it was read. Returns false if the order has changed since. */
  readonly setNote: (seen: Order, note: string | undefined, by?: Actor) => Promise<boolean>

  readonly find: (id: bigint) => Promise<Order | undefined>

  readonly list: (selection: PromiseOrderSelection) => Promise<ReadonlyArray<Order>>
}

/** The port `InventoryRepository` without Effect. Counts and pets change in one transaction. @experimental */
export interface PromiseInventoryRepository {
  /** Reads the stored counts. */
  readonly read: () => Promise<Inventory>

  /** Counts every pet, stores the result, and returns the former and the new counts. */
  readonly recount: () => Promise<{ readonly kept: Inventory; readonly counted: Inventory }>
}

/** The port `CategoryRepository` without Effect. @experimental */
export interface PromiseCategoryRepository {
  /** Replaces `former`, the category as it was read (`undefined` if it did not exist). Returns false if it has changed since. */
  readonly replace: (category: Category, former: Category | undefined, by?: Actor) => Promise<boolean>

  /** Removes a category. Returns false if it has changed since it was read. */
  readonly remove: (former: Category, by?: Actor) => Promise<boolean>

  readonly find: (id: bigint) => Promise<Category | undefined>

  /** Lists at most `limit` categories by ascending identifier. */
  readonly list: (selection: { readonly after: bigint | undefined; readonly limit: number }) => Promise<ReadonlyArray<Category>>
}

/** The port `CredentialRepository` without Effect. Keys are stored under the SHA-256 of their secrets. */
export interface PromiseCredentialRepository {
  readonly insertAccount: (account: Account) => Promise<"done" | "name-taken">
  readonly findAccount: (name: string) => Promise<Account | undefined>
  /** Lists all accounts, oldest first. */
  readonly listAccounts: () => Promise<ReadonlyArray<Account>>
  /** Disables an account from the given time on. A disabled account keeps its time. */
  readonly disableAccount: (name: string, disabledAt: Date) => Promise<Account | undefined>
  readonly enableAccount: (name: string) => Promise<Account | undefined>
  readonly insertApiKey: (key: ApiKey, hash: string) => Promise<void>
  /** Finds a key even if it is expired or revoked, but not if its account is disabled. */
  readonly findApiKey: (hash: string) => Promise<ApiKey | undefined>
  /** Lists all keys, oldest first. */
  readonly listApiKeys: () => Promise<ReadonlyArray<ApiKey>>
  /** Revokes a key from the given time on. A revoked key keeps its time. */
  readonly revokeApiKey: (id: string, revokedAt: Date) => Promise<ApiKey | undefined>
  /** Stores a key, and sets the expiry of the former one, once: both or neither. Returns the former key. */
  readonly replaceApiKey: (former: string, expiresAt: Date, key: ApiKey, hash: string) => Promise<ApiKey | undefined>
  /** Records the day (UTC, `YYYY-MM-DD`) on which a key was accepted, if it is later than the recorded day. */
  readonly recordApiKeyUse: (id: string, day: string) => Promise<void>
}

/** Which changes to list: at most `limit`, behind a place, and optionally of one pet and its orders. @experimental */
export interface PromiseChangeSelection {
  readonly petId?: bigint | undefined
  readonly order: PetOrder
  readonly after: string | undefined
  readonly limit: number
}

/** The port `ChangeRepository` without Effect. The writing functions of the other ports leave the changes. @experimental */
export interface PromiseChangeRepository {
  /** Lists changes. `"expired"` if changes behind the place are no longer kept. */
  readonly list: (selection: PromiseChangeSelection) => Promise<ChangesFound | "expired">

  /** A text that is different after every change that was committed since it was last read. */
  readonly latest: () => Promise<string>

  /** Brings back a removed pet. `undefined` if its removal is not kept. */
  readonly restorePet: (petId: bigint, by?: Actor) => Promise<Pet | undefined>

  /** Removes at most `limit` changes of those before a time, the oldest first. Returns their number. */
  readonly removeBefore: (time: Date, limit: number) => Promise<number>
}

/**
 * A store's ports. Each may be absent: a program can then not use the operations that need it. If the database is unavailable, a
 * function rejects with `storageUnavailable(cause)`. Any other rejection is a defect.
 */
export interface PromiseRepositories {
  readonly pets?: Omit<PromisePetRepository, "close">
  readonly orders?: PromiseOrderRepository
  readonly inventory?: PromiseInventoryRepository
  readonly categories?: PromiseCategoryRepository
  readonly credentials?: PromiseCredentialRepository
  readonly changes?: PromiseChangeRepository
  /** What makes API keys and their hashes: see `Cryptography` of core. */
  readonly cryptography?: {
    readonly sha256: (text: string) => string
    readonly randomBytes: (size: number) => Uint8Array
  }
  /** Called once, when the store is no longer in use. */
  readonly close?: (() => Promise<void>) | undefined
}
