/** Every way an operation of the domain can fail: facts, in tagged values. What a client of the service sees of them is decided in `contract/`. */
import { Data } from "effect"
import type { Deployment } from "./credentials/deployment.js"
import type { InvalidBody, InvalidJson, InvalidParameter } from "./json/invalid-input.js"
import type { OrderId } from "./orders/order.js"
import type { OrderStatus } from "./orders/order-status.js"
import type { PetId } from "./pets/pet.js"

/**
 * The credential is not accepted. `reason` says how far it came; the secret itself never enters an error.
 *
 * - `format`: not the shape of an API key
 * - `checksum`: mistyped
 * - `unknown`: no key of this store, or one that expired or was revoked
 * - `keyOf`: a key of another deployment
 */
export class CredentialRejected extends Data.TaggedError("CredentialRejected")<{
  readonly reason: "format" | "checksum" | "unknown" | { readonly keyOf: Deployment }
}> {}

/** No pet has this identifier. */
export class PetNotFound extends Data.TaggedError("PetNotFound")<{
  /** As the caller spelled it: a text that is no 64-bit integer names no pet either. */
  readonly petId: PetId | string
}> {}

/** The store did not answer. A read may be tried again; a write may have happened. `cause` is for the log, never for a client. */
export class StorageUnavailable extends Data.TaggedError("StorageUnavailable")<{ readonly cause: unknown }> {}

/** The pet is not `available`, so it cannot be ordered. */
export class PetNotAvailable extends Data.TaggedError("PetNotAvailable")<{ readonly petId: PetId }> {}

/**
 * No order has this identifier.
 *
 * @experimental
 */
export class OrderNotFound extends Data.TaggedError("OrderNotFound")<{
  /** As the caller spelled it. */
  readonly orderId: OrderId | string
}> {}

/**
 * The order ended the other way before.
 *
 * @experimental
 */
export class OrderClosed extends Data.TaggedError("OrderClosed")<{ readonly orderId: OrderId; readonly status: OrderStatus }> {}

/** The idempotency key was used for another request before (specification 12.3). */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused")<{ readonly key: string }> {}

/** Another account has this name. */
export class AccountNameTaken extends Data.TaggedError("AccountNameTaken")<{ readonly name: string }> {}

/** No account has this name. */
export class AccountNotFound extends Data.TaggedError("AccountNotFound")<{ readonly name: string }> {}

/** No API key has this identifier. */
export class ApiKeyNotFound extends Data.TaggedError("ApiKeyNotFound")<{ readonly keyId: string }> {}

/** What an operation of the inventory can fail with. The failures of administration (accounts, keys) are not in it. */
export type PetstoreError =
  | CredentialRejected
  | InvalidParameter
  | InvalidJson
  | InvalidBody
  | PetNotFound
  | PetNotAvailable
  | OrderNotFound
  | OrderClosed
  | IdempotencyKeyReused
  | StorageUnavailable
