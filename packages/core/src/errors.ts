/** The failures of the domain. `contract/` decides what the service's clients see of them. */
import * as Option from "effect/Option"
import type { CategoryId } from "./categories/category.js"
import type { Deployment } from "./credentials/deployment.js"
import { redactApiKeys } from "./credentials/redacted-api-keys.js"
import { failure } from "./failure.js"
import { int64FromText } from "./json/int64.js"
import type { InvalidBody, InvalidJson, InvalidParameter } from "./json/invalid-input.js"
import { showJson } from "./json/json.js"
import type { OrderId } from "./orders/order.js"
import type { OrderStatus } from "./orders/order-status.js"
import type { PetId, PetStatus } from "./pets/pet.js"

/**
 * The credential is not accepted. `reason` names the check that failed. The secret itself never appears in an error.
 *
 * - `format`: not the shape of an API key
 * - `checksum`: mistyped
 * - `unknown`: not a key in this store, an expired or revoked key, or a key of a disabled account
 * - `keyOf`: a key for another deployment
 */
export class CredentialRejected extends failure("CredentialRejected")<{
  readonly reason: "format" | "checksum" | "unknown" | { readonly keyOf: Deployment }
}> {
  override get message(): string {
    const { reason } = this
    return typeof reason === "string" ? rejections[reason] : `The API key is for ${reason.keyOf}, which is another deployment.`
  }
}

const rejections = {
  format: "The credential is not an API key of this service.",
  checksum: "The API key is mistyped: its checksum does not match.",
  unknown: "The API key is unknown, expired or revoked, or its account is disabled.",
}

/** The API key is read-only, and the request would change something. @experimental */
export class ApiKeyReadOnly extends failure("ApiKeyReadOnly") {
  override get message(): string {
    return "The API key is read-only. To change something, use a key that may."
  }
}

/** JavaScript callers may pass a number, or an identifier as text. */
const showIdentifier = (identifier: unknown): string => {
  const isOfWrongType =
    typeof identifier === "number" || (typeof identifier === "string" && Option.isSome(int64FromText(identifier)))
  return isOfWrongType ? `${showJson(identifier)}, a ${typeof identifier} instead of a 64-bit integer` : showJson(identifier)
}

/** No pet has this identifier. */
export class PetNotFound extends failure("PetNotFound")<{
  /** The identifier, or text that is not an identifier. */
  readonly petId: PetId | string
}> {
  override get message(): string {
    return `No pet has the identifier ${showIdentifier(this.petId)}.`
  }
}

/** The database is unavailable. Reads are safe to retry; a write may have happened. `cause` is for the log, never for clients. */
export class StorageUnavailable extends failure("StorageUnavailable")<{
  readonly cause: unknown
  /** A sentence that explains the reason to callers. */
  readonly reason?: string | undefined
  /** Whether a write certainly did not happen. If absent, it may have happened. */
  readonly isUndone?: true | undefined
}> {
  override get message(): string {
    return this.reason ?? "The database is unavailable. Try again."
  }
}

/** The pet is not `available`, so it cannot be ordered. `status` is its status at the time of the refusal. */
export class PetNotAvailable extends failure("PetNotAvailable")<{
  readonly petId: PetId
  readonly status: PetStatus | undefined
}> {
  override get message(): string {
    const states = { pending: "is pending", sold: "is sold", available: "was not available a moment ago" }
    const state = this.status === undefined ? "has no status" : states[this.status]
    return `The pet ${this.petId} ${state}. Only a pet whose status is available can be ordered.`
  }
}

/** A placed order holds the pet, so its status cannot change and it cannot be removed. @experimental */
export class PetReserved extends failure("PetReserved")<{ readonly petId: PetId }> {
  override get message(): string {
    return `A placed order holds the pet ${this.petId}. Complete or cancel the order first.`
  }
}

/** The pet has changed since it was read. Read the pet again. @experimental */
export class PetChanged extends failure("PetChanged")<{ readonly petId: PetId }> {
  override get message(): string {
    return `Pet ${this.petId} has changed since it was read.`
  }
}

/** The current value does not meet the caller's condition. @experimental */
export class PreconditionFailed extends failure("PreconditionFailed") {
  override get message(): string {
    return "The resource does not meet the request's condition, because it has changed. Read it again, and decide anew."
  }
}

/** No order has this identifier. @experimental */
export class OrderNotFound extends failure("OrderNotFound")<{
  /** The identifier, or text that is not an identifier. */
  readonly orderId: OrderId | string
}> {
  override get message(): string {
    return `No order has the identifier ${showIdentifier(this.orderId)}.`
  }
}

/** The order has already been closed in the other way. `status` is the order's status. @experimental */
export class OrderClosed extends failure("OrderClosed")<{ readonly orderId: OrderId; readonly status: OrderStatus }> {
  override get message(): string {
    return `The order ${this.orderId} is ${this.status} already.`
  }
}

/** The order is not `completed`, so it cannot be returned. `status` is its status. @experimental */
export class OrderNotCompleted extends failure("OrderNotCompleted")<{ readonly orderId: OrderId; readonly status: OrderStatus }> {
  override get message(): string {
    return `The order ${this.orderId} is ${this.status}. Only an order whose status is completed can be returned.`
  }
}

/** The order cannot be returned, because its pet is not as it was sold. @experimental */
export class SoldPetChanged extends failure("SoldPetChanged")<{ readonly orderId: OrderId; readonly petId: PetId }> {
  override get message(): string {
    return `The pet ${this.petId} of the order ${this.orderId} was removed, is not sold any more, or was sold again by a later order.`
  }
}

/** Changes after the cursor were removed, or the cursor is for another store. @experimental */
export class CursorExpired extends failure("CursorExpired") {
  override get message(): string {
    return "Changes after this cursor are no longer kept, or the store was replaced. Read the catalogue, and follow changes anew."
  }
}

/** Too many requests are waiting for changes: `limit` is the number that may. @experimental */
export class TooManyWaiting extends failure("TooManyWaiting")<{ readonly of: "key" | "service"; readonly limit: number }> {
  override get message(): string {
    const whose = this.of === "key" ? "of this API key" : "in this process"
    return `Already ${this.limit} requests ${whose} wait for changes. End one of them, or send the request without wait.`
  }
}

/** No category has this identifier. @experimental */
export class CategoryNotFound extends failure("CategoryNotFound")<{
  /** The identifier, or text that is not an identifier. */
  readonly categoryId: CategoryId | string
}> {
  override get message(): string {
    return `No category has the identifier ${showJson(this.categoryId)}.`
  }
}

/** The idempotency key was already used for another request (specification 12.3). */
export class IdempotencyKeyReused extends failure("IdempotencyKeyReused")<{ readonly key: string }> {
  override get message(): string {
    return `The idempotency key ${redactApiKeys(this.key)} was already used with a different body. Use a new key for a new request.`
  }
}

/** Another account has this name. */
export class AccountNameTaken extends failure("AccountNameTaken")<{ readonly name: string }> {
  override get message(): string {
    return `Another account has the name ${showJson(this.name)}.`
  }
}

/** No account has this name. */
export class AccountNotFound extends failure("AccountNotFound")<{ readonly name: string }> {
  override get message(): string {
    return `No account has the name ${showJson(this.name)}.`
  }
}

/** The store and the program that opened it belong to different deployments. */
export class DeploymentMismatch extends failure("DeploymentMismatch")<{
  readonly kept: Deployment
  readonly ours: Deployment
}> {
  override get message(): string {
    return `The store belongs to ${this.kept}, not to ${this.ours}.`
  }
}

/** The API key is revoked or expired, so it cannot be rotated. */
export class ApiKeyInactive extends failure("ApiKeyInactive")<{ readonly keyId: string }> {
  override get message(): string {
    return `The API key ${showJson(this.keyId)} is revoked or expired.`
  }
}

/** The API key was not rotated, because it had already been rotated or is being revoked concurrently. */
export class ApiKeyChanged extends failure("ApiKeyChanged")<{ readonly keyId: string }> {
  override get message(): string {
    return `The API key ${showJson(this.keyId)} has already been rotated, or is being revoked.`
  }
}

/** No API key has this identifier. */
export class ApiKeyNotFound extends failure("ApiKeyNotFound")<{ readonly keyId: string }> {
  override get message(): string {
    return `No API key has the identifier ${showJson(this.keyId)}.`
  }
}

/** The failures of the operations on accounts and API keys. */
export type AdministrationError = AccountNameTaken | AccountNotFound | ApiKeyChanged | ApiKeyInactive | ApiKeyNotFound

/** The failures of the operations on the inventory. */
export type PetstoreError =
  | CredentialRejected
  | ApiKeyReadOnly
  | InvalidParameter
  | InvalidJson
  | InvalidBody
  | PetNotFound
  | PetNotAvailable
  | PetReserved
  | PreconditionFailed
  | OrderNotFound
  | OrderClosed
  | OrderNotCompleted
  | SoldPetChanged
  | CursorExpired
  | TooManyWaiting
  | CategoryNotFound
  | IdempotencyKeyReused
  | StorageUnavailable
