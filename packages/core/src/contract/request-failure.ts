import type { PetstoreError } from "../errors.js"
import type { CredentialMissing } from "./authorization.js"
import { type ErrorObject, makeErrorObject } from "./error-object.js"
import type { ErrorCode } from "./failures.js"

/** The failures that a request can have: those of the domain, and a missing credential. */
export type RequestFailure = PetstoreError | CredentialMissing

export const codeByTag = {
  InvalidParameter: "invalid_parameter",
  InvalidJson: "invalid_json",
  InvalidBody: "invalid_body",
  CredentialMissing: "missing_credential",
  CredentialRejected: "invalid_credential",
  ApiKeyReadOnly: "insufficient_scope",
  PetNotFound: "pet_not_found",
  OrderNotFound: "order_not_found",
  CategoryNotFound: "category_not_found",
  PetNotAvailable: "pet_not_available",
  PetReserved: "pet_reserved",
  OrderClosed: "order_closed",
  OrderNotCompleted: "order_not_completed",
  SoldPetChanged: "pet_changed",
  CursorExpired: "cursor_expired",
  TooManyWaiting: "too_many_waiting",
  PreconditionFailed: "precondition_failed",
  IdempotencyKeyReused: "idempotency_key_reused",
  StorageUnavailable: "storage_unavailable",
} as const satisfies Readonly<Record<RequestFailure["_tag"], ErrorCode>>

/** A failure's code, as a type. */
export type CodeOf<Failure extends RequestFailure> = (typeof codeByTag)[Failure["_tag"]]

/** Turns a failure into its Error object, with the failure's message.
 *
 * @example toErrorObject(new PetNotFound({ petId: "seven" })) // { code: "pet_not_found", message: 'No pet has the identifier "seven".', status: 404 }
 */
export const toErrorObject = <Failure extends RequestFailure>({ _tag, message }: Failure): ErrorObject<CodeOf<Failure>> =>
  // Safe: every tag maps to its own code, which the compiler cannot infer from a type parameter.
  makeErrorObject(codeByTag[_tag] as CodeOf<Failure>, message)

/**
 * A challenge has no error code if no credential was sent (RFC 6750 §3). The values are literals, because bundlers cannot remove
 * an unused table of computed values.
 */
const headersByTag: Readonly<Partial<Record<RequestFailure["_tag"], Readonly<Record<string, string>>>>> = {
  CredentialMissing: { "WWW-Authenticate": 'Bearer realm="petstore"' },
  CredentialRejected: { "WWW-Authenticate": 'Bearer realm="petstore", error="invalid_token"' },
  ApiKeyReadOnly: { "WWW-Authenticate": 'Bearer realm="petstore", error="insufficient_scope"' },
  StorageUnavailable: { "Retry-After": "1" },
  TooManyWaiting: { "Retry-After": "30" },
}

/** The headers that a failure adds to its response, by name. */
export const failureHeaders = ({ _tag }: RequestFailure): Readonly<Record<string, string>> => headersByTag[_tag] ?? {}
