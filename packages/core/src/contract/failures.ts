/**
 * The facts of every failure, one row for each code: the closed list of the specification (section 7).
 *
 * The sentence of a failure is its own `message`; what its code means to a caller of HTTP is in `failure-guide.ts`.
 */

interface Facts {
  readonly status: number
  /** The failure of the domain that has this code; absent for those of HTTP itself. */
  readonly tag?: string
  /** What its answer carries beside the Error object, by name. */
  readonly headers?: Readonly<Record<string, string>>
  /** The same request may succeed later. */
  readonly retry?: true
  /** A write may have happened. */
  readonly unsettled?: true
  /** What a caller of `@petstore/client` does next. */
  readonly advice: string
}

const report = "If it stays, tell who runs the service, with the requestId."
const bug = "This client does not send such requests: something between you and the service may have changed it. "
const baseUrl = "Check that baseUrl is the whole base address of the service: it ends in /v1."

/** RFC 6750 §3: no error code when no credential was sent. */
const challenge = 'Bearer realm="petstore"'

/** The facts of each code. A code is added here, and its words in `failure-guide.ts`. */
export const failures = {
  malformed_request: { status: 400, advice: bug + report },
  invalid_parameter: {
    status: 400,
    tag: "InvalidParameter",
    advice: "Correct the parameter that the message names. A cursor belongs to the status filter it came with.",
  },
  invalid_json: { status: 400, tag: "InvalidJson", advice: bug + report },
  invalid_body: { status: 400, tag: "InvalidBody", advice: "Correct the fields that the message names, and call again." },
  unsupported_content_type: { status: 400, advice: bug + report },
  missing_credential: {
    status: 401,
    tag: "CredentialMissing",
    headers: { "WWW-Authenticate": challenge },
    advice: `${bug}A proxy that removes the Authorization header is the usual reason.`,
  },
  // The client tells by the form of the key what to do.
  invalid_credential: {
    status: 401,
    tag: "CredentialRejected",
    headers: { "WWW-Authenticate": `${challenge}, error="invalid_token"` },
    advice: "",
  },
  insufficient_scope: {
    status: 403,
    tag: "ApiKeyReadOnly",
    headers: { "WWW-Authenticate": `${challenge}, error="insufficient_scope"` },
    advice: "The API key only reads: call with another one, or ask who runs the service for a key that may change something.",
  },
  pet_not_found: {
    status: 404,
    tag: "PetNotFound",
    advice: "Check the identifier, or list the pets: listPets takes a status filter.",
  },
  order_not_found: { status: 404, tag: "OrderNotFound", advice: "Check the identifier." },
  category_not_found: { status: 404, tag: "CategoryNotFound", advice: "Check the identifier, or list the categories." },
  route_not_found: { status: 404, advice: baseUrl },
  method_not_allowed: { status: 405, advice: baseUrl },
  request_timeout: {
    status: 408,
    retry: true,
    unsettled: true,
    advice: `The request came too slowly. Check the network. ${report}`,
  },
  pet_not_available: {
    status: 409,
    tag: "PetNotAvailable",
    advice: "The pet is reserved, sold or without a status: list the pets whose status is available, and order one of those.",
  },
  pet_reserved: {
    status: 409,
    tag: "PetReserved",
    advice: "A placed order holds the pet: complete or cancel the order first. Its name and category may change meanwhile.",
  },
  order_closed: { status: 409, tag: "OrderClosed", advice: "Get the order: it was completed or cancelled before." },
  precondition_failed: {
    status: 412,
    tag: "PreconditionFailed",
    advice: "Another caller changed it since you read it: get it again, and decide anew.",
  },
  body_too_large: { status: 413, advice: "Send a shorter name." },
  idempotency_key_reused: {
    status: 422,
    tag: "IdempotencyKeyReused",
    advice: "Use a new idempotency key for each new pet or order, or leave it out: the client makes one.",
  },
  rate_limited: {
    status: 429,
    retry: true,
    advice: "Your key sends more requests than it may. Call again after retryAfterMillis, and spread your calls.",
  },
  headers_too_large: { status: 431, advice: "Send a shorter cursor or idempotency key." },
  internal_error: {
    status: 500,
    retry: true,
    unsettled: true,
    advice: `The service failed. Nothing is wrong with your request. ${report}`,
  },
  storage_unavailable: {
    status: 503,
    tag: "StorageUnavailable",
    headers: { "Retry-After": "1" },
    retry: true,
    unsettled: true,
    advice: `The service cannot reach its store. Call again in a minute. ${report}`,
  },
  service_overloaded: {
    status: 503,
    headers: { "Retry-After": "1" },
    retry: true,
    advice: `The service holds as much as it has memory for, and ran nothing of the request. Call again after retryAfterMillis. ${report}`,
  },
  service_stopping: {
    status: 503,
    retry: true,
    advice: `The process that was asked is stopping. Call again: another one answers. ${report}`,
  },
} as const satisfies Readonly<Record<string, Facts>>

/** Machine-readable error code. */
export type ErrorCode = keyof typeof failures

/** The facts of a code, those that some rows leave out among them. */
export const factsOf = (code: ErrorCode): Facts => failures[code]

/** Every code. */
// Safe: `Object.keys` of an object whose keys are the codes.
export const errorCodes = Object.keys(failures) as ReadonlyArray<ErrorCode>
