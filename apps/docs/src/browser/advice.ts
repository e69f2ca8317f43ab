/** Advice after a request, in a sentence or two, for every outcome. */

/** The outcome of a request: a response, or the reason why it is missing. */
export type Outcome =
  | {
      readonly kind: "answered"
      readonly status: number
      /** `code` of the Error object; `undefined` for another body. */
      readonly code: string | undefined
      readonly message: string
      readonly retryAfter: string | null
      readonly requestId: string | null
    }
  | { readonly kind: "unanswered"; readonly reason: "offline" | "dropped" | "timeout" }

/** What the advice depends on besides the outcome. */
export interface Situation {
  readonly key: string
  /** The deployment that serves the page. */
  readonly deployment: string
  /** Whether the request adds something, and under which idempotency key. */
  readonly adds: boolean
  readonly idempotencyKey: string
  /** The remedy of the page for a code; `""` for an unknown code. */
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
    return `This is a key of ${other}, and this page talks to ${deployment}. Paste a key that begins with ${prefix}, or open the documentation of ${other}.`
  }
  if (!shape.test(key) || message.includes("mistyped")) {
    return `Part of the key is missing or mistyped. Paste the whole key: ${prefix} and 38 letters and digits after it.`
  }
  return "The key has the right form, but it expired, was revoked, or was never made here. Ask the operator of the service for a new one, and paste it."
}

const unanswered = {
  offline: "Your device is offline. Connect it to the network and send the request again.",
  dropped:
    "No response: the connection dropped, or the service is down. Check your network, look whether this page still reloads, and send the request again.",
  timeout: "No response within 30 seconds. The service or the network is slow: wait a moment and send the request again.",
} as const

const seconds = (count: string): string => (count === "1" ? "1 second" : `${count} seconds`)

/** After an unknown outcome of an addition. */
const forAddition = ({ adds, idempotencyKey }: Situation): string => {
  if (!adds) return ""
  return idempotencyKey === ""
    ? " It may have been added all the same: look in the list first, and next time send an Idempotency-Key, which makes repeating safe."
    : " Repeating is safe: with the same Idempotency-Key nothing is added twice."
}

/** The sentences for an outcome; `""` if nothing is to be done. */
export const adviceFor = (outcome: Outcome, situation: Situation): string => {
  if (outcome.kind === "unanswered") return unanswered[outcome.reason] + forAddition(situation)
  const { status, code, message, retryAfter, requestId } = outcome
  if (status === 304) return "Nothing changed: you have the current response."
  if (status < 400) return ""
  if (code === undefined) {
    return "This response is not from the service: a proxy or a gateway in between sent it. Try again, and if it stays, ask the administrator of the network."
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
