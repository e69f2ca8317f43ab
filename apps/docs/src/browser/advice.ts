/** The advice after a request: a sentence or two for each outcome that needs advice. */

import { apiKey } from "./api-key.ts"
import type { Outcome, Prepared, Received } from "./request.ts"

const prefixes: Readonly<Record<string, string>> = { production: "pst_live_", staging: "pst_test_", development: "pst_dev_" }

const shape = /^pst_(?:dev|test|live)_[0-9A-Za-z]{38}$/

const forRefusedKey = (message: string): string => {
  const key = apiKey()
  // The deployment that serves the page.
  const { deployment = "" } = document.documentElement.dataset
  const prefix = prefixes[deployment] ?? "pst_"
  const [other] = Object.entries(prefixes).find(([, start]) => key.startsWith(start)) ?? []
  if (other !== undefined && other !== deployment) {
    return `This key is for ${other}, but this page calls ${deployment}. Paste a key that begins with ${prefix}, or open the ${other} documentation.`
  }
  if (!shape.test(key) || message.includes("mistyped")) {
    return `Part of the key is missing or mistyped. Paste the whole key: ${prefix} followed by 38 letters and digits.`
  }
  return "The key has the right form, but it has expired, was revoked, or was never created here. Ask the service's operator for a new key, and paste it."
}

const unanswered = {
  offline: "Your device is offline. Connect it to the network and send the request again.",
  dropped:
    "No response: the connection dropped, or the service is down. Check your network and whether this page still reloads, and send the request again.",
  timeout: "No response within 30 seconds. The service or the network is slow: wait a moment and send the request again.",
} as const

const seconds = (count: string): string => (count === "1" ? "1 second" : `${count} seconds`)

/** The advice if the request may have added something. A request without a body completes or cancels, and is safe to repeat. */
const forAddition = ({ body, headers }: Prepared): string => {
  if (body === null) return ""
  return headers.has("Idempotency-Key")
    ? " It is safe to repeat the request: with the same Idempotency-Key, nothing is added twice."
    : " It may have been added anyway: look in the list first. Next time, send an Idempotency-Key, which makes it safe to repeat the request."
}

/** Returns the `code` and `message` of an Error object, which `JSON.parse` reads without loss. Other bodies have no code. */
export const errorOf = ({ status, text }: Received): { readonly code?: string; readonly message: string } => {
  try {
    const { code, message } = Object(JSON.parse(text))
    return status >= 400 && typeof code === "string" ? { code, message: String(message) } : { message: "" }
  } catch {
    return { message: "" }
  }
}

const remedyFor = (code: string): string => document.querySelector(`#error-${CSS.escape(code)} [data-remedy]`)?.textContent ?? ""

/** Returns the advice for an outcome, or `""` if there is nothing to do. */
export const adviceFor = (outcome: Outcome, request: Prepared): string => {
  if (outcome.kind === "unanswered") return unanswered[outcome.reason] + forAddition(request)
  const { status, headers } = outcome
  const { code, message } = errorOf(outcome)
  if (status === 304) return "Nothing changed: you have the current response."
  if (status < 400) return ""
  if (code === undefined) {
    return "This response is not from the service: a proxy or a gateway in between sent it. Try again. If it happens again, ask your network's administrator."
  }
  if (code === "missing_credential") return "Paste your API key into the field above and send the request again."
  if (code === "invalid_credential") return forRefusedKey(message)
  if (status === 429) {
    const retryAfter = headers.get("Retry-After")
    const wait = retryAfter === null ? "a minute" : seconds(retryAfter)
    return `The key has used up its requests for now. Wait ${wait}, then send the request again.`
  }
  if (status >= 500) {
    const requestId = headers.get("X-Request-Id")
    const report = requestId === null ? "" : ` The request id to report is ${requestId}.`
    return remedyFor(code) + report + forAddition(request)
  }
  return remedyFor(code)
}
