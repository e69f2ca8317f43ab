import { type Effect, isSettled } from "./advice.js"
import type { CallOptions } from "./call-options.js"
import { type PetstoreError, type Problem, toError } from "./errors.js"
import type { Observers } from "./observers.js"
import type { Fetch, ResponseHeaders, Signal } from "./platform.js"
import { aborted, type Success, sendOnce } from "./request.js"
import { headersIn, type Result, resultOf } from "./result.js"
import { backoffMillis, pause } from "./time.js"

export type Limits = Readonly<Record<"timeout" | "attemptTimeout" | "maxRetries", number>>

/** The headers that the client sets itself. */
const ownHeaders = [...["accept", "authorization", "content-type"], ...["idempotency-key", "if-match", "if-none-match"]]

/** Adds headers to others. Throws a `TypeError` for an invalid name or value, and for a header that the client sets itself. */
export const moreHeaders = (more: CallOptions["headers"], others: Headers): Headers => {
  const all = new Headers(others)
  for (const [name, value] of Object.entries(more ?? {})) {
    if (ownHeaders.includes(name.toLowerCase())) throw new TypeError(`headers must not contain ${name}: the client sets it.`)
    all.set(name, value)
  }
  return all
}

/** A call. All its requests are identical byte for byte, so repeating them is safe. */
export interface Call<A> extends Observers, Limits {
  readonly fetch: Fetch
  readonly apiKey: string
  readonly method: string
  readonly url: string
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
  readonly signal: Signal | undefined
  /** The caller's own headers. */
  readonly headers: Headers
  /** The headers with the condition of a change. */
  readonly condition?: Readonly<Record<string, string>> | undefined
  /** Returns `undefined` if the response is not valid for the operation, and `null` if there is no such item. */
  readonly decode: (success: Success) => A | undefined | null
  /** The failure if `decode` returns `null`. */
  readonly nothing?: Problem | undefined
}

/** Creates a unique name from 128 random bits. Web pages over plain HTTP have no `crypto.randomUUID`. */
export const uniqueName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const headersOf = (
  { apiKey, body, idempotencyKey, condition, headers }: Call<unknown>,
  requestId: string,
): Record<string, string> => ({
  ...headersIn(headers),
  Accept: "application/json",
  Authorization: `Bearer ${apiKey}`,
  // In lower case, as in `headers`, which may have it too.
  "x-request-id": requestId,
  ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
  ...condition,
})

const effectOf = ({ method, idempotencyKey, condition }: Call<unknown>): Effect => {
  if (method === "GET") return "reads"
  if (idempotencyKey !== undefined) return "creates"
  return condition === undefined ? "changes" : "changes conditionally"
}

/**
 * Sends requests until there is a response, a failure that a retry cannot fix, or no time or attempts left. Rejects with a {@link
 * PetstoreError}. Reads, removals, changes without a condition, and completing or cancelling an order are safe to repeat. A
 * creation is safe because of its idempotency key. Any other change with a condition is repeated only if it certainly did not
 * happen, because the condition no longer holds after the change.
 */
export const send = async <A>(call: Call<A>): Promise<Result<A>> => {
  const { fetch, method, url, body, signal, apiKey, idempotencyKey, condition, decode, nothing } = call
  const { timeout, attemptTimeout, maxRetries, onRequest, onResponse, onRetry, onEnd } = call
  const requestId = call.headers.get("X-Request-Id") ?? uniqueName()
  const init = { method, headers: headersOf(call, requestId), ...(body === undefined ? {} : { body }) }
  // Following a redirect could send the key or a pet to another server. Not every edge runtime supports the value "error".
  const sendRequest = (signal: Signal) => fetch(url, { ...init, signal, redirect: "manual" })
  const start = performance.now()
  const deadline = start + timeout
  const remaining = () => Math.max(0, deadline - performance.now())
  const ended = (attempts: number, error?: PetstoreError) =>
    onEnd?.({ method, url, requestId, attempts, durationMillis: performance.now() - start, error })
  const failed = (problem: Problem, attempts: number): PetstoreError => {
    const error = toError(problem, { apiKey, requestId, attempts, idempotencyKey, effect: effectOf(call) })
    ended(attempts, error)
    return error
  }
  const succeeded = (value: A, headers: ResponseHeaders, id: string, attempts: number): Result<A> => {
    ended(attempts)
    return resultOf(value, headers, id)
  }
  /** Whether an earlier request may have run although its response was lost. */
  let mayBeDone = false

  for (let attempts = 1; ; attempts += 1) {
    if (signal?.aborted === true) throw failed(aborted(signal.reason), attempts - 1)
    const leftMillis = remaining()
    const request = { method, url, requestId, attempt: attempts }
    onRequest?.(request)
    const sentAt = performance.now()
    const outcome = await sendOnce(sendRequest, Math.min(attemptTimeout, leftMillis), signal)
    const durationMillis = performance.now() - sentAt
    if (outcome.status !== undefined) onResponse?.({ ...request, status: outcome.status, durationMillis })
    if ("json" in outcome) {
      const value = decode(outcome)
      const { status, headers } = outcome
      if (value !== undefined && value !== null) return succeeded(value, headers, requestId, attempts)
      const sentence = "The response is not valid for this operation."
      const invalid = { code: "invalid_answer", status, sentence, retry: false } as const
      throw failed((value === null ? nothing : undefined) ?? invalid, attempts)
    }
    const problem = outcome
    // Only a 404 from the service itself means that the item was removed. A proxy may send its own 404.
    if (
      method === "DELETE" &&
      mayBeDone &&
      problem.status === 404 &&
      problem.code.endsWith("_not_found") &&
      problem.code !== "route_not_found"
    ) {
      const headers = new Headers()
      const value = decode({ status: 204, headers, json: undefined })
      if (value !== undefined && value !== null) return succeeded(value, headers, problem.requestId ?? requestId, attempts)
    }
    mayBeDone ||= !isSettled(problem.code)
    const mayRepeat = problem.retry && (condition === undefined || method === "DELETE" || isSettled(problem.code))
    const waitMillis = backoffMillis(attempts, problem.retryAfterMillis, Math.random())
    // Whether the deadline ended this request. `remaining()` may still be positive, because timers may fire early.
    const deadlinePassed = problem.code === "timeout" && leftMillis <= attemptTimeout
    // A wait past the deadline would only delay the same failure.
    const noTime = deadlinePassed || waitMillis >= remaining()
    if (!mayRepeat || attempts > maxRetries || noTime) throw failed(problem, attempts)
    onRetry?.({ ...request, code: problem.code, durationMillis, waitMillis })
    await pause(waitMillis, signal)
  }
}
