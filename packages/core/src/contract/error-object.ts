/**
 * The Error object of the specification (section 7): what a client sees of a
 * failure, and the closed list of its codes.
 */
import type { PetstoreError } from "../errors.js"
import type { CredentialMissing } from "./authorization.js"

/** Every value of `code`, with the status that always goes with it. A code is added here and nowhere else. */
export const errorStatuses = {
  malformed_request: 400,
  invalid_parameter: 400,
  invalid_json: 400,
  invalid_body: 400,
  unsupported_content_type: 400,
  missing_credential: 401,
  invalid_credential: 401,
  pet_not_found: 404,
  order_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  pet_not_available: 409,
  order_closed: 409,
  body_too_large: 413,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  storage_unavailable: 503,
  service_stopping: 503,
} as const

/** Machine-readable error code. */
export type ErrorCode = keyof typeof errorStatuses

/** The body of every failure: exactly these three members. */
export interface ErrorObject {
  readonly code: ErrorCode
  readonly message: string
  /** The HTTP status code, the same as the response's. */
  readonly status: number
}

/** The Error object of a code. The status follows from the code.
 *
 * @example makeErrorObject("rate_limited", "Too many requests.").status // 429
 */
export const makeErrorObject = (code: ErrorCode, message: string): ErrorObject => ({ code, message, status: errorStatuses[code] })

/** What a request can fail with: what the domain can, and a credential that was not sent. */
export type RequestFailure = PetstoreError | CredentialMissing

/** The code of each failure. A missing row does not compile. */
const codes = {
  CredentialMissing: "missing_credential",
  CredentialRejected: "invalid_credential",
  InvalidParameter: "invalid_parameter",
  InvalidJson: "invalid_json",
  InvalidBody: "invalid_body",
  PetNotFound: "pet_not_found",
  PetNotAvailable: "pet_not_available",
  OrderNotFound: "order_not_found",
  OrderClosed: "order_closed",
  IdempotencyKeyReused: "idempotency_key_reused",
  StorageUnavailable: "storage_unavailable",
} as const satisfies Readonly<Record<RequestFailure["_tag"], ErrorCode>>

/** The code of a failure, as a type. */
export type CodeOf<Failure extends RequestFailure> = (typeof codes)[Failure["_tag"]]

/** From a failure to its Error object, which says what the failure says.
 *
 * @example toErrorObject(new PetNotFound({ petId: "7" })) // { code: "pet_not_found", message: 'No pet has the identifier "7".', status: 404 }
 */
export const toErrorObject = <Failure extends RequestFailure>({
  _tag,
  message,
}: Failure): ErrorObject & { readonly code: CodeOf<Failure> } => {
  // Safe: a failure's tag names the row of its own code, which an index by a type parameter does not tell.
  const code = codes[_tag] as CodeOf<Failure>
  return { code, message, status: errorStatuses[code] }
}
