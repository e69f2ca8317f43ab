/** What to do next about each failure, in a sentence or two: the text is part of the product. */
import { errorCodes, factsOf, failures } from "@petstore/core/contract"

/** What the advice is for each code. Its type spells the codes out, so that our declarations import nothing of core. */
const adviceIn = <Rows extends Readonly<Record<string, { readonly advice: string }>>>(rows: Rows) =>
  // Safe: an entry for each row.
  Object.fromEntries(Object.entries(rows).map(([code, { advice }]) => [code, advice])) as {
    -readonly [Code in keyof Rows]: string
  }

/** One row for each code of core. */
const answered = adviceIn(failures)

/** Machine-readable error code of the service. */
export type ErrorCode = keyof typeof answered

/** Whether the service's code is one that this version of the client knows. */
export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(answered, code)

/** Statuses that may be another one next time: of the service, and of a proxy before it. */
export const passing: ReadonlySet<number> = new Set([
  ...errorCodes.map(factsOf).flatMap(({ retry, status }) => (retry === true ? [status] : [])),
  ...[502, 504],
])

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

/** What to do next. `creates` is whether the call was to create a pet or an order. */
export const adviceFor = (code: ErrorCode | OwnCode, apiKey: string, creates: boolean): string => {
  // After a failure of our own it is not known what became of the request: its answer is lost, or cannot be read.
  const { advice, unsettled } = isErrorCode(code) ? factsOf(code) : { advice: own[code], unsettled: true }
  const next = code === "invalid_credential" ? credentialAdvice(apiKey) : advice
  return creates && unsettled === true
    ? `${next} It may have been created: the same call with the error's idempotencyKey never makes a second one (for 24 hours).`
    : next
}
