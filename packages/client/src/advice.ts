/** What callers should do next about each failure, in a sentence or two. This text is part of the product. */
import type { failures } from "@petstore/core/contract"
import { unsettled } from "./facts.js"

const report = "If this persists, report the requestId to the service's operator."
const bug = "Something between this client and the service may have changed the request. "
const baseUrl = "Check that baseUrl is the service's full base address: it ends in /v1."

/**
 * The type of the result lists the codes, so the published declarations import nothing from core. Bundlers drop the call, with its
 * function, from programs that need no advice.
 */
/* @__NO_SIDE_EFFECTS__ */ const adviceIn = <Code extends string>(rows: () => Readonly<Record<Code, string>>) => rows()

/** One row for each of core's codes. A missing row is a compile error. */
const answered = adviceIn<keyof typeof failures>(() => ({
  malformed_request: bug + report,
  invalid_parameter: "Correct the parameter that the message names. A cursor is valid only with its original filters.",
  invalid_json: bug + report,
  invalid_body: "Correct the fields that the message names, and call again.",
  unsupported_content_type: bug + report,
  missing_credential: `${bug}The usual cause is a proxy that removes the Authorization header.`,
  // `credentialAdvice` gives the advice, depending on the form of the key.
  invalid_credential: "",
  insufficient_scope: "Call with another API key, or ask the service's operator for one that allows changes.",
  pet_not_found: "Check the identifier, or list the pets.",
  order_not_found: "Check the identifier.",
  category_not_found: "Check the identifier, or list the categories.",
  route_not_found: baseUrl,
  method_not_allowed: baseUrl,
  request_timeout: `Check the network. ${report}`,
  pet_not_available: "List the pets whose status is available, and order one of those.",
  pet_reserved: "Complete or cancel the order first. You can still change the pet's name and category.",
  order_closed: "Get the order: it is already completed, cancelled or returned.",
  order_not_completed: "Cancel a placed order instead. A cancelled order needs nothing.",
  pet_changed: "Look at the pet and its orders: it is not sold any more, or a later order sold it.",
  cursor_expired: "Read what you need again, and follow changes anew, without a cursor.",
  precondition_failed: "Read it again, and decide anew.",
  body_too_large: "Send a shorter name.",
  idempotency_key_reused: "Use a new idempotencyKey for each pet or order, or none: the client makes one.",
  rate_limited: "Call again after retryAfterMillis, and spread out your calls.",
  too_many_waiting: "Let fewer calls wait for changes with one API key.",
  headers_too_large: "Send a shorter cursor or idempotency key.",
  internal_error: `Nothing is wrong with your request. ${report}`,
  storage_unavailable: `Call again in a minute. ${report}`,
  service_overloaded: `Call again after retryAfterMillis. ${report}`,
  service_stopping: `Call again: another process will respond. ${report}`,
}))

/** A machine-readable error code from the service. */
export type ErrorCode = keyof typeof answered

/** Whether a code is one of the service's error codes in this version of the client. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(answered, code)

/** Failures for which there is no Error object from the service. */
const own = {
  network:
    "Check the network, that baseUrl is right, and that the service is running. In a web page, the service must also allow the page's origin (CORS_ORIGINS).",
  timeout: "Call again later, or with a larger timeout.",
  aborted: "Your AbortSignal ended the call.",
  missing_etag: "Get the item by its identifier, or omit ifMatch. If it still has no ETag, a proxy removes it.",
  invalid_answer:
    "Check that baseUrl points to the pet store, not to a proxy, a login page or a redirect. If it does, update @petstore/client.",
  unknown_code: "The service is newer than this client: update @petstore/client.",
} as const

type OwnCode = keyof typeof own

/** The deployments, by the second part of their keys. */
const deploymentsOfKeys: Readonly<Record<string, string>> = { live: "production", test: "staging", dev: "development" }

const shape = /^pst_([a-z]+)_\w{38}$/

/** What to do about a refused key. The advice depends on the key's form and never contains its secret part. */
const credentialAdvice = (apiKey: string): string => {
  const [, part = ""] = shape.exec(apiKey) ?? []
  const deployment = deploymentsOfKeys[part]
  return deployment === undefined
    ? "An API key starts with pst_live_ (production), pst_test_ (staging) or pst_dev_ (development): paste the complete key and nothing else."
    : `This is a ${deployment} key (pst_${part}_…): check that baseUrl is ${deployment}'s. If it is, the key is mistyped, expired or revoked: ask the service's operator for a new one.`
}

/** Whether the request certainly changed nothing. False if its response was lost, is unreadable or leaves the outcome unknown. */
export const isSettled = (code: ErrorCode | OwnCode): boolean =>
  isErrorCode(code) ? !unsettled.includes(code) : code === "missing_etag"

/** What may have happened after a request whose outcome is unknown, and what to do then. */
export const doubtOf = (method: string, isCreation: boolean, isConditional: boolean): string => {
  if (method === "GET") return ""
  if (isCreation)
    return " It may have been created: for 24 hours, repeating the call with the error's idempotencyKey never creates a second one."
  return isConditional
    ? " The change may have happened, and then its condition no longer holds: read the item before you repeat the call."
    : " The change may have happened, and repeating the call is safe."
}

/** Returns what to do next. */
export const adviceFor = (code: ErrorCode | OwnCode, apiKey: string, doubt: string): string => {
  const advice = isErrorCode(code) ? answered[code] : own[code]
  return (code === "invalid_credential" ? credentialAdvice(apiKey) : advice) + (isSettled(code) ? "" : doubt)
}
