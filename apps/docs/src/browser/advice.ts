/** The advice after a request: a sentence or two for each outcome that needs advice. */

/** The outcome of a request: a response, or the reason why no response arrived. */
export type Outcome =
  | {
      readonly kind: "answered"
      readonly status: number
      /** The `code` of the Error object. `undefined` if the body is not an Error object. */
      readonly code: string | undefined
      readonly message: string
      readonly retryAfter: string | null
      readonly requestId: string | null
    }
  | { readonly kind: "unanswered"; readonly reason: "offline" | "dropped" | "timeout" }

/** The facts that the advice depends on, in addition to the outcome. */
export interface Situation {
  readonly key: string
  /** The deployment that serves the page. */
  readonly deployment: string
  /** Whether the request adds something. */
  readonly adds: boolean
  readonly idempotencyKey: string
  /** Returns the page's remedy for a code, or `""` for an unknown code. */
  readonly remedy: (code: string) => string
}

const prefixes: Readonly<Record<string, string>> = { pst_live_: "production", pst_test_: "staging", pst_dev_: "development" }

const deploymentOf = (key: string): string | undefined => Object.entries(prefixes).find(([prefix]) => key.startsWith(prefix))?.[1]

const prefixOf = (deployment: string): string => Object.entries(prefixes).find(([, name]) => name === deployment)?.[0] ?? "pst_"

const shape = /^pst_(?:dev|test|live)_[0-9A-Za-z]{38}$/

const forRefusedKey = ({ key, deployment }: Situation, message: string): string => {
  const prefix = prefixOf(deployment)
  const other = deploymentOf(key)
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

/** The advice if the request may have added something. */
const forAddition = ({ adds, idempotencyKey }: Situation): string => {
  if (!adds) return ""
  return idempotencyKey === ""
    ? " It may have been added anyway: look in the list first. Next time, send an Idempotency-Key, which makes it safe to repeat the request."
    : " It is safe to repeat the request: with the same Idempotency-Key, nothing is added twice."
}

/** Returns the advice for an outcome, or `""` if there is nothing to do. */
export const adviceFor = (outcome: Outcome, situation: Situation): string => {
  if (outcome.kind === "unanswered") return unanswered[outcome.reason] + forAddition(situation)
  const { status, code, message, retryAfter, requestId } = outcome
  if (status === 304) return "Nothing changed: you have the current response."
  if (status < 400) return ""
  if (code === undefined) {
    return "This response is not from the service: a proxy or a gateway in between sent it. Try again. If it happens again, ask your network's administrator."
  }
  if (code === "missing_credential") return "Paste your API key into the field above and send the request again."
  if (code === "invalid_credential") return forRefusedKey(situation, message)
  if (status === 429) {
    const wait = retryAfter === null ? "a minute" : seconds(retryAfter)
    return `The key has used up its requests for now. Wait ${wait}, then send the request again.`
  }
  if (status >= 500) {
    const report = requestId === null ? "" : ` The request id to report is ${requestId}.`
    return situation.remedy(code) + report + forAddition(situation)
  }
  return situation.remedy(code)
}
