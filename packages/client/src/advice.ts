/** What to do next about each failure, in a sentence or two: the text is part of the product. */
import type { ErrorCode as DomainErrorCode } from "@petstore/core/contract"

const report = "If it stays, tell who runs the service, with the requestId."
const bug = "This client does not send such requests: something between you and the service may have changed it. "

/** One row for each code of core: a missing or surplus one does not compile. */
const answered = {
  malformed_request: bug + report,
  invalid_parameter: "Correct the parameter that the message names. A cursor belongs to the status filter it came with.",
  invalid_json: bug + report,
  invalid_body: "Correct the fields that the message names, and call again.",
  unsupported_content_type: bug + report,
  missing_credential: `${bug}A proxy that removes the Authorization header is the usual reason.`,
  invalid_credential: "",
  pet_not_found: "Check the identifier, or list the pets: listPets takes a status filter.",
  pet_not_available: "Somebody else has the pet, or nobody can: list the pets whose status is available, and order one of those.",
  order_not_found: "Check the identifier.",
  order_closed: "Get the order: it was completed or cancelled before.",
  route_not_found: "Check that baseUrl is the whole base address of the service: it ends in /v1.",
  method_not_allowed: "Check that baseUrl is the whole base address of the service: it ends in /v1.",
  request_timeout: `The request came too slowly. Check the network. ${report}`,
  body_too_large: "Send a shorter name.",
  idempotency_key_reused: "Use a new idempotency key for each new pet or order, or leave it out: the client makes one.",
  rate_limited: "Your key sends more requests than it may. Call again after retryAfterMillis, and spread your calls.",
  headers_too_large: "Send a shorter cursor or idempotency key.",
  internal_error: `The service failed. Nothing is wrong with your request. ${report}`,
  service_stopping: `The process that was asked is stopping. Call again: another one answers. ${report}`,
  storage_unavailable: `The service cannot reach its store. Call again in a minute. ${report}`,
} satisfies Record<DomainErrorCode, string>

/** Machine-readable error code of the service. */
export type ErrorCode = keyof typeof answered

/** Whether the service's code is one that this version of the client knows. */
export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(answered, code)

/** What went wrong before or after the service answered with an Error object. */
const own = {
  network:
    "Check the network, that baseUrl is right, and that the service runs. In a web page, the service must also allow the page's origin (CORS_ORIGINS).",
  timeout: "The service or the network is slow. Call again later, or with a larger timeout.",
  aborted: "Your AbortSignal ended the call.",
  invalid_answer:
    "Check that baseUrl leads to the pet store and not to a proxy, a login page or a redirect. If it does, update @petstore/client.",
  unknown_code: "The service is newer than this client: update @petstore/client.",
} as const

/** Kinds of failure that are the client's own. */
export type OwnCode = keyof typeof own

/** Which deployment a key is for, by how it starts. */
const keyPrefixes: Readonly<Record<string, string>> = {
  pst_live_: "production",
  pst_test_: "staging",
  pst_dev_: "development",
}

const shape = /^(pst_[a-z]+_)[0-9A-Za-z]{38}$/

/** Tells by the key's form, never its secret part, what to do about its refusal. */
const credentialAdvice = (apiKey: string): string => {
  const [, prefix = ""] = shape.exec(apiKey) ?? []
  const deployment = keyPrefixes[prefix]
  return deployment === undefined
    ? "An API key starts with pst_live_ (production), pst_test_ (staging) or pst_dev_ (development) and has 38 letters and digits after that: paste the whole key and nothing else."
    : `The key is one of ${deployment} (${prefix}…): check that baseUrl is ${deployment}'s, or use a key of the deployment that you call. If that is right, the key is mistyped, expired or revoked: ask who runs the service for a new one.`
}

/** Where a call ended without telling whether the pet or the order was made. */
const unsettled: ReadonlySet<string> = new Set([
  "network",
  "timeout",
  "aborted",
  "invalid_answer",
  "unknown_code",
  "request_timeout",
  "internal_error",
  "storage_unavailable",
])

/** What to do next. `creates` is whether the call was to create a pet or an order. */
export const adviceFor = (code: ErrorCode | OwnCode, apiKey: string, creates: boolean): string => {
  const advice = code === "invalid_credential" ? credentialAdvice(apiKey) : { ...answered, ...own }[code]
  return creates && unsettled.has(code)
    ? `${advice} It may have been created: the same call with the error's idempotencyKey never makes a second one (for 24 hours).`
    : advice
}
