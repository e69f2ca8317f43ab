/**
 * What every error code means and what a caller does about it: the only source of these sentences, for the contract and the docs
 * page.
 */
import {
  ApiKeyReadOnly,
  CategoryNotFound,
  CredentialRejected,
  IdempotencyKeyReused,
  OrderClosed,
  OrderNotFound,
  PetNotAvailable,
  PetNotFound,
  PetReserved,
  PreconditionFailed,
  StorageUnavailable,
} from "../errors.js"
import { InvalidBody, InvalidJson, InvalidParameter } from "../json/invalid-input.js"
import { CredentialMissing } from "./authorization.js"
import type { ErrorCode } from "./failures.js"
import type { RequestFailure } from "./request-failure.js"

/** The words of a code. */
export interface Guidance {
  /** What happened. */
  readonly meaning: string
  /** What to do next. */
  readonly remedy: string
  /** A failure with the code, or the message of a failure that only HTTP knows. */
  readonly example: string | (() => RequestFailure)
}

/** A row for each code. A missing row does not compile. */
export const failureGuide: Readonly<Record<ErrorCode, Guidance>> = {
  malformed_request: {
    meaning: "The request is not well-formed HTTP, so nothing of it was read.",
    remedy: "Let an HTTP library write the request, and look at proxies in between. The connection is closed: open a new one.",
    example: "The request is not well-formed HTTP/1.1.",
  },
  invalid_parameter: {
    meaning: "A parameter of the request has a value that the operation does not allow.",
    remedy: "Correct the parameter that the message names. Take a cursor from the Link header as it stands, with its filter.",
    example: () =>
      new InvalidParameter({
        parameter: "limit",
        expected: "expected one whole number from 1 to 100, in digits",
        received: '"0"',
      }),
  },
  invalid_json: {
    meaning: "The body is not JSON in UTF-8.",
    remedy: "Write the body with a JSON library, as UTF-8 without a byte order mark.",
    example: () => new InvalidJson({ reason: "it is not one complete JSON text, at line 1, column 9" }),
  },
  invalid_body: {
    meaning: "The body is JSON, but a member is missing or has a value that the operation does not allow.",
    remedy: "Correct the members that the message names: it says what was expected and what came.",
    example: () => new InvalidBody({ problems: [{ field: "categoryId", expected: "is required", received: "nothing" }] }),
  },
  unsupported_content_type: {
    meaning: "The body is not declared as JSON, or it is compressed.",
    remedy: "Send Content-Type: application/json, and no Content-Encoding.",
    example: 'Content-Type: expected application/json, got "text/plain".',
  },
  missing_credential: {
    meaning: "The request carries no API key.",
    remedy: "Send the header Authorization: Bearer <API_KEY>.",
    example: () => new CredentialMissing({ lacksScheme: false }),
  },
  invalid_credential: {
    meaning: "The API key is mistyped, unknown, expired, revoked, or belongs to another deployment.",
    remedy:
      "Compare the key with the one you were given. A key that begins with pst_live_ is for production, pst_test_ for staging, pst_dev_ for a developer's own machine. If it expired or was revoked, ask for a new one.",
    example: () => new CredentialRejected({ reason: "unknown" }),
  },
  insufficient_scope: {
    meaning: "The API key is read-only, and the operation changes something. Nothing was changed.",
    remedy:
      "Use another key for this request. The operator of the service creates one: petstore keys create, without --read-only.",
    example: () => new ApiKeyReadOnly(),
  },
  pet_not_found: {
    meaning: "No pet has this identifier.",
    remedy: "Check the identifier: it is a whole number, and rounds if your language reads it as a floating-point number.",
    example: () => new PetNotFound({ petId: 9007199254740993n }),
  },
  order_not_found: {
    meaning: "No order has this identifier.",
    remedy: "Check the identifier: it is a whole number, and rounds if your language reads it as a floating-point number.",
    example: () => new OrderNotFound({ orderId: 9007199254740993n }),
  },
  category_not_found: {
    meaning: "No category has this identifier.",
    remedy: "Check the identifier. A pet may carry the identifier of a category that has no name.",
    example: () => new CategoryNotFound({ categoryId: 9007199254740993n }),
  },
  route_not_found: {
    meaning: "Nothing is served at this path.",
    remedy: "Check the path: it begins with /v1, is compared with case, and has no slash at its end.",
    example: "Nothing is served at /v1/animals.",
  },
  method_not_allowed: {
    meaning: "The path exists, but does not allow this method.",
    remedy: "Use one of the methods that the Allow header lists.",
    example: "DELETE is not a method of /v1/pets: use one of HEAD, GET, POST, OPTIONS.",
  },
  request_timeout: {
    meaning: "The request did not arrive in time: its head within 10 seconds, all of it within 30.",
    remedy: "Send the request again on a new connection, and look at the network if it happens again.",
    example: "The request did not arrive in time.",
  },
  pet_not_available: {
    meaning: "The pet is not available, so it cannot be ordered.",
    remedy: "Choose another pet: GET /pets with status=available lists those that can be ordered.",
    example: () => new PetNotAvailable({ petId: 9007199254740993n, status: "sold" }),
  },
  pet_reserved: {
    meaning: "A placed order holds the pet, so its status stays, and it cannot be removed.",
    remedy: "Complete or cancel the order first. A PATCH that leaves the status alone is fine.",
    example: () => new PetReserved({ petId: 9007199254740993n }),
  },
  order_closed: {
    meaning: "The order ended the other way: a cancelled one cannot be completed, a completed one cannot be cancelled.",
    remedy: "Get the order to see how it ended. To sell a pet whose order was cancelled, place a new order.",
    example: () => new OrderClosed({ orderId: 9007199254740993n, status: "cancelled" }),
  },
  idempotency_key_reused: {
    meaning: "This Idempotency-Key was used with another body before.",
    remedy: "Use a new key for a new request. To repeat a request, send its body byte for byte.",
    example: () => new IdempotencyKeyReused({ key: "7f9c3a52-6d0e-4f4b-9c55-0c1d5f6f3a10" }),
  },
  precondition_failed: {
    meaning: "The resource does not meet If-Match or If-None-Match: it was changed since you read it.",
    remedy: "Get it again, and decide anew with the ETag that you get.",
    example: () => new PreconditionFailed(),
  },
  body_too_large: {
    meaning: "The body is larger than the deployment allows.",
    remedy: "Send a smaller body. The message says how many bytes are allowed.",
    example: "The body is larger than 65536 bytes.",
  },
  rate_limited: {
    meaning: "The API key has sent more requests than the deployment allows in a minute.",
    remedy:
      "Wait for the seconds in Retry-After, then send the request again. RateLimit tells how many are left before it comes to this.",
    example: "The API key may send 600 requests a minute. Try again in 42 s.",
  },
  headers_too_large: {
    meaning: "The head of the request, its headers and its path, is larger than 16 KiB.",
    remedy: "Send fewer and shorter headers. Cookies meant for another service are a common cause.",
    example: "The head of the request is larger than 16384 bytes.",
  },
  internal_error: {
    meaning: "The service failed. It is our fault, not yours.",
    remedy: "Try again once. If it happens again, report the value of the X-Request-Id header: it finds the failure in our log.",
    example: "Unexpected failure.",
  },
  storage_unavailable: {
    meaning: "The database of the service is unavailable at the moment.",
    remedy:
      "Try again after the seconds in Retry-After. A read is safe to repeat. To repeat an addition safely, send the same Idempotency-Key.",
    example: () => new StorageUnavailable({ cause: undefined }),
  },
  service_overloaded: {
    meaning: "The service holds as many requests and responses as it has memory for. It ran nothing of this request.",
    remedy: "Try again after the seconds in Retry-After, and read each response to its end. Requests with an API key go first.",
    example: "The service holds as many requests and responses as it has memory for. Try again in 1 s.",
  },
  service_stopping: {
    meaning: "The process is stopping and should get no more requests. Only /readyz answers this.",
    remedy: "Nothing, if you call through a load balancer: it asks another process.",
    example: "This process is stopping. Ask another one.",
  },
}
