/**
 * The Error object of the specification (section 7): what a client sees of a
 * failure, and the closed list of its codes.
 */
import { Match } from "effect"
import type { CredentialRejected, FieldProblem, PetstoreError } from "./errors.js"

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
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  headers_too_large: 431,
  internal_error: 500,
  storage_unavailable: 503,
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

/** The Error object of a code. The status follows from the code. */
export const errorObject = (code: ErrorCode, message: string): ErrorObject => ({ code, message, status: errorStatuses[code] })

const rejections: Readonly<Record<CredentialRejected["reason"], string>> = {
  scheme: "The Authorization header must have the form: Bearer <API_KEY>.",
  format: "The credential is not an API key of this service.",
  checksum: "The API key is mistyped: its checksum does not match.",
  deployment: "The API key belongs to another deployment.",
  unknown: "The API key is unknown, expired or revoked.",
}

const sentence = ({ field, expected, received }: FieldProblem): string => `${field}: ${expected}, got ${received}`

/** From a failure of the domain to its Error object. One row for each; a missing row does not compile. */
export const toErrorObject: (failure: PetstoreError) => ErrorObject = Match.typeTags<PetstoreError>()({
  CredentialMissing: () => errorObject("missing_credential", "The request needs an API key: Authorization: Bearer <API_KEY>."),
  CredentialRejected: ({ reason }) => errorObject("invalid_credential", rejections[reason]),
  InvalidParameter: ({ parameter, expected, received }) =>
    errorObject("invalid_parameter", `${sentence({ field: parameter, expected, received })}.`),
  InvalidJson: ({ reason }) => errorObject("invalid_json", `The body is not valid JSON: ${reason}.`),
  InvalidBody: ({ problems }) => errorObject("invalid_body", `${problems.map(sentence).join("; ")}.`),
  PetNotFound: ({ petId }) => errorObject("pet_not_found", `No pet has the identifier ${petId}.`),
  StorageUnavailable: () => errorObject("storage_unavailable", "The store does not answer. Try again."),
})
