/** What callers should do next about each failure, in a sentence or two. This text is part of the product. */
import { errorCodes, factsOf, type failures } from "@petstore/core/contract"

const report = "If this persists, report the requestId to the service's operator."
const bug = "This client does not send such requests: something in between may have changed this one. "
const baseUrl = "Check that baseUrl is the service's full base address: it ends in /v1."

/** The type of the result lists the codes, so the published declarations import nothing from core. */
const adviceIn = <Code extends string>(rows: Readonly<Record<Code, string>>): Readonly<Record<Code, string>> => rows

/** One row for each of core's codes. A missing row is a compile error. */
const answered = adviceIn<keyof typeof failures>({
  malformed_request: bug + report,
  invalid_parameter: "Correct the parameter that the message names. A cursor is valid only with its original filters.",
  invalid_json: bug + report,
  invalid_body: "Correct the fields that the message names, and call again.",
  unsupported_content_type: bug + report,
  missing_credential: `${bug}The usual cause is a proxy that removes the Authorization header.`,
  // `credentialAdvice` gives the advice, depending on the form of the key.
  invalid_credential: "",
  insufficient_scope: "Call with another API key, or ask the service's operator for one that allows changes.",
  pet_not_found: "Check the identifier, or list the pets: listPets takes a status filter.",
  order_not_found: "Check the identifier.",
  category_not_found: "Check the identifier, or list the categories.",
  route_not_found: baseUrl,
  method_not_allowed: baseUrl,
  request_timeout: `The request arrived too slowly. Check the network. ${report}`,
  pet_not_available: "List the pets whose status is available, and order one of those.",
  pet_reserved: "Complete or cancel the order first. You can still change the pet's name and category.",
  order_closed: "Get the order: it is already completed, cancelled or returned.",
  order_not_completed: "Cancel a placed order instead. A cancelled order needs nothing.",
  pet_changed: "Look at the pet and its orders: it is not sold any more, or a later order sold it.",
  cursor_expired: "Read what you need again, and follow changes anew, without a cursor.",
  precondition_failed: "Read it again, and decide anew.",
  body_too_large: "Send a shorter name.",
  idempotency_key_reused: "Use a new idempotency key for each new pet or order, or leave it out: the client makes one.",
  rate_limited: "Your key exceeded its request limit. Call again after retryAfterMillis, and spread out your calls.",
  too_many_waiting: "Let fewer calls wait for changes with one API key.",
  headers_too_large: "Send a shorter cursor or idempotency key.",
  internal_error: `The service failed. Nothing is wrong with your request. ${report}`,
  storage_unavailable: `The service cannot reach its database. Call again in a minute. ${report}`,
  service_overloaded: `The service has no memory left for more requests and did not run this one. Call again after retryAfterMillis. ${report}`,
  service_stopping: `This process is stopping. Call again: another process will respond. ${report}`,
})

/** A machine-readable error code from the service. */
export type ErrorCode = keyof typeof answered

/** Whether a code is one of the service's error codes in this version of the client. */
export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(answered, code)

/** The statuses after which a retry may succeed, from the service or from a proxy in front of it. */
export const passing: ReadonlySet<number> = new Set([
  ...errorCodes.map(factsOf).flatMap(({ retry, status }) => (retry === true ? [status] : [])),
  ...[502, 504],
])

/** Failures for which there is no Error object from the service. */
const own = {
  network:
    "Check the network, that baseUrl is right, and that the service is running. In a web page, the service must also allow the page's origin (CORS_ORIGINS).",
  timeout: "The service or the network is slow. Call again later, or with a larger timeout.",
  aborted: "Your AbortSignal ended the call.",
  missing_etag:
    "Get the item by its identifier, or omit ifMatch. If it has no ETag then either, a proxy removes it: the proxy must pass it on.",
  invalid_answer:
    "Check that baseUrl points to the pet store, not to a proxy, a login page or a redirect. If it does, update @petstore/client.",
  unknown_code: "The service is newer than this client: update @petstore/client.",
} as const

type OwnCode = keyof typeof own

/** The deployment that a key is for, by the key's prefix. */
const keyPrefixes: Readonly<Record<string, string>> = {
  pst_live_: "production",
  pst_test_: "staging",
  pst_dev_: "development",
}

const shape = /^(pst_[a-z]+_)[0-9A-Za-z]{38}$/

/** What to do about a refused key. The advice depends on the key's form and never contains its secret part. */
const credentialAdvice = (apiKey: string): string => {
  const [, prefix = ""] = shape.exec(apiKey) ?? []
  const deployment = keyPrefixes[prefix]
  return deployment === undefined
    ? "An API key starts with pst_live_ (production), pst_test_ (staging) or pst_dev_ (development), followed by 38 letters and digits: paste the complete key and nothing else."
    : `This is a ${deployment} key (${prefix}…): check that baseUrl is ${deployment}'s, or use a key for the deployment that you call. If they match, the key is mistyped, expired or revoked: ask the service's operator for a new one.`
}

/** Whether the request certainly changed nothing. False if its response was lost, is unreadable or leaves the outcome unknown. */
export const isSettled = (code: ErrorCode | OwnCode): boolean =>
  isErrorCode(code) ? factsOf(code).unsettled !== true : code === "missing_etag"

/** What a call changes: `conditionally` if it had a condition, which its own change would end. */
export type Effect = "creates" | "changes" | "changes conditionally" | "reads"

/** What may have happened, and what to do then. */
const mayBeDone: Readonly<Record<Effect, string>> = {
  creates:
    " It may have been created: for 24 hours, repeating the call with the error's idempotencyKey never creates a second one.",
  changes: " The change may have happened, and repeating the call is safe.",
  "changes conditionally":
    " The change may have happened, and then its condition no longer holds: read the item before you repeat the call.",
  reads: "",
}

/** Returns what to do next. */
export const adviceFor = (code: ErrorCode | OwnCode, apiKey: string, effect: Effect): string => {
  const advice = isErrorCode(code) ? answered[code] : own[code]
  const next = code === "invalid_credential" ? credentialAdvice(apiKey) : advice
  return isSettled(code) ? next : next + mayBeDone[effect]
}
