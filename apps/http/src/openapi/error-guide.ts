/**
 * What every error code means and what a caller does about it: the one place
 * for these sentences. The contract carries them, the docs page shows them.
 */
import { type ErrorCode, type ErrorObject, makeErrorObject } from "@petstore/core/contract"
import type { Example } from "@petstore/docs/contract"

interface Guidance {
  /** What happened. */
  readonly meaning: string
  /** What to do next. */
  readonly remedy: string
  /** A message as the service writes it. */
  readonly message: string
}

/** A row for each code. A missing row does not compile. */
const guide: Readonly<Record<ErrorCode, Guidance>> = {
  malformed_request: {
    meaning: "The request is not well-formed HTTP, so nothing of it was read.",
    remedy: "Let an HTTP library write the request, and look at proxies in between. The connection is closed: open a new one.",
    message: "The request is not well-formed HTTP/1.1.",
  },
  invalid_parameter: {
    meaning: "A parameter of the request has a value that the operation does not take.",
    remedy: "Correct the parameter that the message names. Take a cursor from the Link header as it stands, with its filter.",
    message: 'limit: expected one whole number from 1 to 100, in digits, got "0".',
  },
  invalid_json: {
    meaning: "The body is not JSON in UTF-8.",
    remedy: "Write the body with a JSON library, as UTF-8 without a byte order mark.",
    message: "The body is not valid JSON: it is not one complete JSON text.",
  },
  invalid_body: {
    meaning: "The body is JSON, but a member is missing or has a value that the operation does not take.",
    remedy: "Correct the members that the message names: it says what was expected and what came.",
    message: "categoryId: is required, got nothing.",
  },
  unsupported_content_type: {
    meaning: "The body is not declared as JSON, or it is compressed.",
    remedy: "Send Content-Type: application/json, and no Content-Encoding.",
    message: 'Content-Type: expected application/json, got "text/plain".',
  },
  missing_credential: {
    meaning: "The request carries no API key.",
    remedy: "Send the header Authorization: Bearer <API_KEY>.",
    message: "The request needs an API key: Authorization: Bearer <API_KEY>. How to get a key: /docs#start",
  },
  invalid_credential: {
    meaning: "The API key is mistyped, unknown, expired, revoked, or belongs to another deployment.",
    remedy:
      "Compare the key with the one you were given. A key that begins with pst_live_ is for production, pst_test_ for staging, pst_dev_ for a developer's own machine. If it expired or was revoked, ask for a new one.",
    message: "The API key is unknown, expired or revoked. How to get a key: /docs#start",
  },
  pet_not_found: {
    meaning: "No pet has this identifier.",
    remedy: "Check the identifier: it is a whole number, and rounds if your language reads it as a floating-point number.",
    message: 'No pet has the identifier "9007199254740993".',
  },
  order_not_found: {
    meaning: "No order has this identifier.",
    remedy: "Check the identifier: it is a whole number, and rounds if your language reads it as a floating-point number.",
    message: 'No order has the identifier "9007199254740993".',
  },
  route_not_found: {
    meaning: "Nothing is served at this path.",
    remedy: "Check the path: it begins with /v1, is compared with case, and has no slash at its end.",
    message: "Nothing is served at /v1/animals.",
  },
  method_not_allowed: {
    meaning: "The path exists, but does not take this method.",
    remedy: "Use one of the methods that the Allow header lists.",
    message: "DELETE is not a method of /v1/pets: use one of HEAD, GET, POST, OPTIONS.",
  },
  request_timeout: {
    meaning: "The request did not arrive in time: its head within 10 seconds, all of it within 30.",
    remedy: "Send the request again on a new connection, and look at the network if it happens again.",
    message: "The request did not arrive in time.",
  },
  pet_not_available: {
    meaning: "The pet is not available, so it cannot be ordered.",
    remedy: "Choose another pet: GET /pets with status=available lists those that can be ordered.",
    message: "The pet 9007199254740993 is not available. Only a pet whose status is available can be ordered.",
  },
  order_closed: {
    meaning: "The order ended the other way: a cancelled one cannot be completed, a completed one cannot be cancelled.",
    remedy: "Get the order to see how it ended. To sell a pet whose order was cancelled, place a new order.",
    message: "The order 9007199254740993 is cancelled already.",
  },
  idempotency_key_reused: {
    meaning: "This Idempotency-Key was used with another body in the last 24 hours.",
    remedy: "Use a new key for a new request. To repeat a request, send its body byte for byte.",
    message:
      "The idempotency key 7f9c3a52-6d0e-4f4b-9c55-0c1d5f6f3a10 was used with another body. Use a new key for a new request.",
  },
  body_too_large: {
    meaning: "The body is larger than the deployment takes.",
    remedy: "Send a smaller body. The message says how many bytes are taken.",
    message: "The body is larger than 65536 bytes.",
  },
  rate_limited: {
    meaning: "The API key has sent more requests than the deployment allows in a minute.",
    remedy:
      "Wait for the seconds in Retry-After, then send the request again. RateLimit tells how many are left before it comes to this.",
    message: "The API key may send 600 requests a minute. Try again in 42 s.",
  },
  headers_too_large: {
    meaning: "The head of the request, its headers and its path, is larger than 16 KiB.",
    remedy: "Send fewer and shorter headers. Cookies meant for another service are a common cause.",
    message: "The head of the request is larger than 16384 bytes.",
  },
  internal_error: {
    meaning: "The service failed. It is our fault, not yours.",
    remedy: "Try again once. If it happens again, report the value of the X-Request-Id header: it finds the failure in our log.",
    message: "Unexpected failure.",
  },
  storage_unavailable: {
    meaning: "The store behind the service does not answer at the moment.",
    remedy:
      "Try again after the seconds in Retry-After. A read is safe to repeat. To repeat an addition safely, send the same Idempotency-Key.",
    message: "The store does not answer. Try again.",
  },
  service_stopping: {
    meaning: "The process is stopping and should get no more requests. Only /readyz answers this.",
    remedy: "Nothing, if you call through a load balancer: it asks another process.",
    message: "This process is stopping. Ask another one.",
  },
}

/** The Error object of a code, with a message as the service writes it. */
const exampleOf = (code: ErrorCode): ErrorObject => makeErrorObject(code, guide[code].message)

/** Every code as an OpenAPI example: its summary is the meaning, its description the remedy. */
export const errorExamples: Readonly<Record<string, Example>> = Object.fromEntries(
  Object.entries(guide).map(([code, { meaning, remedy }]) => [
    code,
    // Safe: the keys of the guide are the codes.
    { summary: meaning, description: remedy, value: exampleOf(code as ErrorCode) },
  ]),
)
