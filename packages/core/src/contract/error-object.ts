/**
 * The Error object of the specification (section 7): what a client sees of a
 * failure, and the closed list of its codes.
 */
import { Match } from "effect"
import { hideApiKeys } from "../credentials/hidden-api-keys.js"
import type { PetstoreError } from "../errors.js"
import type { FieldProblem } from "../json/invalid-input.js"
import { showJson } from "../json/json.js"
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

const rejections = {
  format: "The credential is not an API key of this service.",
  checksum: "The API key is mistyped: its checksum does not match.",
  unknown: "The API key is unknown, expired or revoked.",
}

const sentence = ({ field, expected, received }: FieldProblem): string => `${field}: ${expected}, got ${received}`

/** What a request can fail with: what the domain can, and a credential that was not sent. */
export type RequestFailure = PetstoreError | CredentialMissing

/** From a failure to its Error object. One row for each; a missing row does not compile.
 *
 * @example toErrorObject(new PetNotFound({ petId: "7" })) // { code: "pet_not_found", message: 'No pet has the identifier "7".', status: 404 }
 */
export const toErrorObject: (failure: RequestFailure) => ErrorObject = Match.typeTags<RequestFailure>()({
  CredentialMissing: () =>
    makeErrorObject("missing_credential", "The request needs an API key: Authorization: Bearer <API_KEY>."),
  CredentialRejected: ({ reason }) =>
    makeErrorObject(
      "invalid_credential",
      typeof reason === "string" ? rejections[reason] : `The API key is one of ${reason.keyOf}, which is another deployment.`,
    ),
  InvalidParameter: ({ parameter, expected, received }) =>
    makeErrorObject("invalid_parameter", `${sentence({ field: parameter, expected, received })}.`),
  InvalidJson: ({ reason }) => makeErrorObject("invalid_json", `The body is not valid JSON: ${reason}.`),
  InvalidBody: ({ problems }) => makeErrorObject("invalid_body", `${problems.map(sentence).join("; ")}.`),
  PetNotFound: ({ petId }) => makeErrorObject("pet_not_found", `No pet has the identifier ${showJson(petId)}.`),
  PetNotAvailable: ({ petId }) =>
    makeErrorObject(
      "pet_not_available",
      `The pet ${petId} is not available. Only a pet whose status is available can be ordered.`,
    ),
  OrderNotFound: ({ orderId }) => makeErrorObject("order_not_found", `No order has the identifier ${showJson(orderId)}.`),
  OrderClosed: ({ orderId, status }) => makeErrorObject("order_closed", `The order ${orderId} is ${status} already.`),
  IdempotencyKeyReused: ({ key }) =>
    makeErrorObject(
      "idempotency_key_reused",
      `The idempotency key ${hideApiKeys(key)} was used with another body. Use a new key for a new request.`,
    ),
  StorageUnavailable: () => makeErrorObject("storage_unavailable", "The store does not answer. Try again."),
})
