/** The contract and the docs page take their sentences about failures from this file. */
import * as errors from "../errors.js"
import { InvalidBody, InvalidJson, InvalidParameter } from "../json/invalid-input.js"
import { CredentialMissing } from "./authorization.js"
import type { ErrorCode } from "./failures.js"
import type { RequestFailure } from "./request-failure.js"

/** The explanation of an error code. */
export interface Guidance {
  readonly meaning: string
  readonly remedy: string
  /** A failure with this code, or a message if the domain has no such failure. */
  readonly example: string | (() => RequestFailure)
}

/** One row for each code. A missing row is a compile error. */
export const failureGuide: Readonly<Record<ErrorCode, Guidance>> = {
  malformed_request: {
    meaning: "The request is not well-formed HTTP, so the service could not read it.",
    remedy:
      "Let an HTTP library write the request, and check the proxies in between. The service has closed the connection: open a new one.",
    example: "The request is not well-formed HTTP/1.1.",
  },
  invalid_parameter: {
    meaning: "A parameter of the request has a value that the operation does not allow.",
    remedy:
      "Correct the parameter that the message names. Copy a cursor from the Link header unchanged, and send it with the same filters.",
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
    remedy: "Correct the members that the message names. The message says what was expected and what was received.",
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
    example: () => new errors.CredentialRejected({ reason: "unknown" }),
  },
  insufficient_scope: {
    meaning: "The API key is read-only, and the operation changes something. Nothing was changed.",
    remedy:
      "Use another key for this request. Ask the operator of the service to create one: petstore keys create, without --read-only.",
    example: () => new errors.ApiKeyReadOnly(),
  },
  pet_not_found: {
    meaning: "No pet has this identifier.",
    remedy: "Check the identifier: it is a whole number, and rounds if your language reads it as a floating-point number.",
    example: () => new errors.PetNotFound({ petId: 9007199254740993n }),
  },
  order_not_found: {
    meaning: "No order has this identifier.",
    remedy: "Check the identifier: it is a whole number, and rounds if your language reads it as a floating-point number.",
    example: () => new errors.OrderNotFound({ orderId: 9007199254740993n }),
  },
  category_not_found: {
    meaning: "No category has this identifier.",
    remedy: "Check the identifier. A pet may carry the identifier of a category that has no name.",
    example: () => new errors.CategoryNotFound({ categoryId: 9007199254740993n }),
  },
  route_not_found: {
    meaning: "Nothing is served at this path.",
    remedy: "Check the path: it begins with /v1, is case-sensitive, and has no trailing slash.",
    example: "Nothing is served at /v1/animals.",
  },
  method_not_allowed: {
    meaning: "The path exists, but does not allow this method.",
    remedy: "Use one of the methods that the Allow header lists.",
    example: "DELETE is not a method of /v1/pets: use one of HEAD, GET, POST, OPTIONS.",
  },
  request_timeout: {
    meaning: "The request did not arrive in time: its head within 10 seconds, all of it within 30.",
    remedy: "Send the request again on a new connection. If it happens again, check the network.",
    example: "The request did not arrive in time.",
  },
  pet_not_available: {
    meaning: "The pet is not available, so it cannot be ordered.",
    remedy: "Choose another pet: GET /pets with status=available lists those that can be ordered.",
    example: () => new errors.PetNotAvailable({ petId: 9007199254740993n, status: "sold" }),
  },
  pet_reserved: {
    meaning: "A placed order holds the pet, so its status cannot change and it cannot be removed.",
    remedy: "Complete or cancel the order first. A PATCH that does not change the status is allowed.",
    example: () => new errors.PetReserved({ petId: 9007199254740993n }),
  },
  order_closed: {
    meaning:
      "The order has already ended. A cancelled order cannot be completed, a completed order cannot be cancelled, and a returned order can be neither.",
    remedy: "Get the order to see how it ended. To sell the pet, place a new order. To take a completed order back, return it.",
    example: () => new errors.OrderClosed({ orderId: 9007199254740993n, status: "cancelled" }),
  },
  idempotency_key_reused: {
    meaning: "This Idempotency-Key was already used with a different body.",
    remedy: "Use a new key for a new request. To repeat a request, send exactly the same body.",
    example: () => new errors.IdempotencyKeyReused({ key: "7f9c3a52-6d0e-4f4b-9c55-0c1d5f6f3a10" }),
  },
  order_not_completed: {
    meaning: "The order is not completed, so there is nothing to return.",
    remedy: "Cancel a placed order instead. A cancelled order needs nothing.",
    example: () => new errors.OrderNotCompleted({ orderId: 9007199254740993n, status: "placed" }),
  },
  pet_changed: {
    meaning: "The pet was removed, is not sold any more, or was sold again by a later order. Nothing was changed.",
    remedy: "Look at the pet and its orders: GET /v1/changes?petId= shows what happened. Return the later order first.",
    example: () => new errors.SoldPetChanged({ orderId: 9007199254740993n, petId: 9007199254740995n }),
  },
  cursor_expired: {
    meaning: "Changes after this cursor are no longer kept, or the store was restored or replaced since the cursor was given.",
    remedy: "Read what you need again, for example the whole catalogue, and follow changes anew, without a cursor.",
    example: () => new errors.CursorExpired(),
  },
  precondition_failed: {
    meaning: "The condition in If-Match or If-None-Match does not hold: the resource has changed since you read it.",
    remedy: "Get the resource again, and decide whether to repeat the request with its new ETag.",
    example: () => new errors.PreconditionFailed(),
  },
  body_too_large: {
    meaning: "The body is larger than the deployment allows.",
    remedy: "Send a smaller body. The message says how many bytes are allowed.",
    example: "The body is larger than 65536 bytes.",
  },
  rate_limited: {
    meaning: "More requests were sent with the API key than the deployment allows in a minute.",
    remedy:
      "Wait for the number of seconds in Retry-After, then send the request again. The RateLimit header shows how many requests are left.",
    example: "The API key may send 600 requests a minute. Try again in 42 s.",
  },
  too_many_waiting: {
    meaning: "Too many requests are waiting for changes: of this API key, or in this process.",
    remedy: "Let fewer clients wait with one API key, end requests that are no longer needed, or leave out wait.",
    example: () => new errors.TooManyWaiting({ of: "key", limit: 10 }),
  },
  headers_too_large: {
    meaning: "The request's head (its path and headers) is larger than 16 KiB.",
    remedy: "Send fewer and shorter headers. Cookies meant for another service are a common cause.",
    example: "The head of the request is larger than 16384 bytes.",
  },
  internal_error: {
    meaning: "The service failed. It is our fault, not yours.",
    remedy:
      "Try again once. If it happens again, report the value of the X-Request-Id header, so that we can find the failure in our log.",
    example: "Unexpected failure.",
  },
  storage_unavailable: {
    meaning: "The service's database is unavailable at the moment.",
    remedy:
      "Try again after the number of seconds in Retry-After. A read is safe to repeat. For a change, the message says whether it may have happened. To repeat an addition safely, send the same Idempotency-Key.",
    example: () => new errors.StorageUnavailable({ cause: undefined }),
  },
  service_overloaded: {
    meaning: "The service has no memory left for more requests and responses. It did not process this request.",
    remedy:
      "Try again after the number of seconds in Retry-After, and read each response to its end. Requests with an API key have priority.",
    example: "The service holds as many requests and responses as it has memory for. Try again in 1 s.",
  },
  service_stopping: {
    meaning: "The process is stopping and should receive no more requests. Only /readyz responds with this code.",
    remedy: "If you call through a load balancer, do nothing: it will use another process.",
    example: "This process is stopping. Ask another one.",
  },
}
