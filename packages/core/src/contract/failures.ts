/** The closed list of failures in the specification (section 7). `failure-guide.ts` explains their codes to clients. */

/** What a code says about its request. */
export interface FailureFacts {
  readonly status: number
  /** The same request may succeed later. */
  readonly retry?: true
  /** A write may have happened. */
  readonly unsettled?: true
}

/** The facts about each code. A new code needs a row here, texts in `failure-guide.ts`, and advice in `@petstore/client`. */
export const failures = {
  malformed_request: { status: 400 },
  invalid_parameter: { status: 400 },
  invalid_json: { status: 400 },
  invalid_body: { status: 400 },
  unsupported_content_type: { status: 400 },
  missing_credential: { status: 401 },
  invalid_credential: { status: 401 },
  insufficient_scope: { status: 403 },
  pet_not_found: { status: 404 },
  order_not_found: { status: 404 },
  category_not_found: { status: 404 },
  route_not_found: { status: 404 },
  method_not_allowed: { status: 405 },
  request_timeout: { status: 408, retry: true, unsettled: true },
  pet_not_available: { status: 409 },
  pet_reserved: { status: 409 },
  order_closed: { status: 409 },
  order_not_completed: { status: 409 },
  pet_changed: { status: 409 },
  cursor_expired: { status: 410 },
  precondition_failed: { status: 412 },
  body_too_large: { status: 413 },
  idempotency_key_reused: { status: 422 },
  rate_limited: { status: 429, retry: true },
  too_many_waiting: { status: 429, retry: true },
  headers_too_large: { status: 431 },
  internal_error: { status: 500, retry: true, unsettled: true },
  storage_unavailable: { status: 503, retry: true, unsettled: true },
  service_overloaded: { status: 503, retry: true },
  service_stopping: { status: 503, retry: true },
} as const satisfies Readonly<Record<string, FailureFacts>>

/** Machine-readable error code. */
export type ErrorCode = keyof typeof failures

/** Returns the facts about a code, typed with the optional members. */
export const factsOf = (code: ErrorCode): FailureFacts => failures[code]

/** Every code. */
// Safe: `Object.keys` of an object whose keys are the codes.
export const errorCodes = Object.keys(failures) as ReadonlyArray<ErrorCode>
