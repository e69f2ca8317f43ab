import { doubtOf, isSettled } from "./advice.js"
import type { CallOptions } from "./call-options.js"
import { type PetstoreError, type Problem, toError } from "./errors.js"
import { must } from "./fields.js"
import type { Observers } from "./observers.js"
import type { Fetch, ResponseHeaders } from "./platform.js"
import { aborted, invalidAnswer, type Success, sendOnce } from "./request.js"
import { headersIn, type Result, resultOf } from "./result.js"
import { backoffMillis, pause } from "./time.js"

export type Limits = Readonly<Record<"timeout" | "attemptTimeout" | "maxRetries", number>>

/** What the calls of a client share. */
export interface Sender extends Observers {
  readonly baseUrl: string
  readonly apiKey: () => string | Promise<string>
  readonly fetch: Fetch
  readonly limits: Limits
  /** The caller's own headers. */
  readonly headers: Headers
}

/** The request of a call. All requests of a call are identical byte for byte, so repeating them is safe. */
export interface Request {
  readonly method: string
  /** Relative to the base address. */
  readonly path: string
  readonly body?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  /** How long the service may wait on purpose. */
  readonly waitMillis?: number
  /** Returns the value of a response, a failure, or `undefined` if the response is not valid for the operation. */
  readonly read: (success: Success) => { readonly value: unknown } | Problem | undefined
}

/** The headers that the client sets itself. */
const ownHeader = /^(?:accept|authorization|content-type|idempotency-key|if-match|if-none-match)$/i

/** Adds headers to others. Throws a `TypeError` for an invalid name or value, and for a header that the client sets itself. */
export const moreHeaders = (more: CallOptions["headers"], others?: Headers): Headers => {
  const all = new Headers(others)
  for (const [name, value] of Object.entries(more ?? {})) {
    if (ownHeader.test(name)) throw new TypeError(`headers must not contain ${name}: the client sets it.`)
    all.set(name, value)
  }
  return all
}

const mustBeLimit = must("at least 0", (value) => Number(value) >= 0)

export const limitsFrom = (options: CallOptions, fallback: Limits): Limits => {
  const limit = (name: keyof Limits): number => mustBeLimit(name, options[name] ?? fallback[name])
  return { timeout: limit("timeout"), attemptTimeout: limit("attemptTimeout"), maxRetries: limit("maxRetries") }
}

/** Creates a unique name from 128 random bits. Web pages over plain HTTP have no `crypto.randomUUID`. */
export const uniqueName = (): string => crypto.getRandomValues(new BigUint64Array(2)).join("-")

/**
 * Sends requests until there is a response, a failure that a retry cannot fix, or no time or attempts left. Rejects with a {@link
 * PetstoreError}. Reads, removals, changes without a condition, and completing or cancelling an order are safe to repeat. A
 * creation is safe because of its idempotency key. Any other change with a condition is repeated only if it certainly did not
 * happen, because the condition no longer holds after the change.
 */
export const send = async (sender: Sender, request: Request, options: CallOptions): Promise<Result<unknown>> => {
  const { fetch, onRequest, onResponse, onRetry, onEnd } = sender
  const { method, path, body, idempotencyKey, ifMatch, ifNoneMatch, waitMillis = 0, read } = request
  const { signal } = options
  const { timeout, attemptTimeout, maxRetries } = limitsFrom(options, sender.limits)
  const headers = moreHeaders(options.headers, sender.headers)
  const apiKey = await sender.apiKey()
  const requestId = headers.get("X-Request-Id") ?? uniqueName()
  const call = { method, url: sender.baseUrl + path, requestId }
  const init = {
    method,
    // Following a redirect could send the key or a pet to another server. Not every edge runtime supports the value "error".
    redirect: "manual",
    headers: {
      ...headersIn(headers),
      Accept: "application/json",
      Authorization: `Bearer ${apiKey}`,
      // In lower case, as in `headers`, which may have it too.
      "x-request-id": requestId,
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
      ...(ifMatch && { "If-Match": ifMatch }),
      ...(ifNoneMatch && { "If-None-Match": ifNoneMatch }),
      ...(body && { "Content-Type": "application/json" }),
    },
    ...(body && { body }),
  } as const
  const isConditional = (ifMatch ?? ifNoneMatch) !== undefined
  const start = performance.now()
  const remaining = () => Math.max(0, start + timeout + waitMillis - performance.now())
  const end = (attempts: number, error?: PetstoreError) =>
    onEnd?.({ ...call, attempts, durationMillis: performance.now() - start, error })
  const failed = (problem: Problem, attempts: number): PetstoreError => {
    const doubt = doubtOf(method, idempotencyKey !== undefined, isConditional)
    const error = toError(problem, { apiKey, requestId, attempts, idempotencyKey, doubt })
    end(attempts, error)
    return error
  }
  const succeeded = (value: unknown, received: ResponseHeaders, id: string, attempts: number): Result<unknown> => {
    end(attempts)
    return resultOf(value, received, id)
  }
  /** Whether an earlier request may have run although its response was lost. */
  let mayBeDone = false

  for (let attempt = 1; ; attempt += 1) {
    if (signal?.aborted === true) throw failed(aborted(signal.reason), attempt - 1)
    const leftMillis = remaining()
    const limitMillis = attemptTimeout + waitMillis
    const sent = { ...call, attempt }
    onRequest?.(sent)
    const sentAt = performance.now()
    const outcome = await sendOnce((signal) => fetch(call.url, { ...init, signal }), Math.min(limitMillis, leftMillis), signal)
    const durationMillis = performance.now() - sentAt
    if (outcome.status !== undefined) onResponse?.({ ...sent, status: outcome.status, durationMillis })
    if ("json" in outcome) {
      const answer = read(outcome) ?? invalidAnswer(outcome.status)
      if ("value" in answer) return succeeded(answer.value, outcome.headers, requestId, attempt)
      throw failed(answer, attempt)
    }
    const { code, retry, retryAfterMillis } = outcome
    // Only a 404 from the service itself means that the item was removed. A proxy may send its own 404.
    if (method === "DELETE" && mayBeDone && /^(?!route).*_not_found$/.test(code)) {
      return succeeded(undefined, new Headers(), outcome.requestId ?? requestId, attempt)
    }
    mayBeDone ||= !isSettled(code)
    const mayRepeat = retry && (!isConditional || method === "DELETE" || isSettled(code))
    const pauseMillis = backoffMillis(attempt, retryAfterMillis, Math.random())
    // Whether the deadline ended this request. `remaining()` may still be positive, because timers may fire early.
    const deadlinePassed = code === "timeout" && leftMillis <= limitMillis
    // A wait past the deadline would only delay the same failure.
    if (!mayRepeat || attempt > maxRetries || deadlinePassed || pauseMillis >= remaining()) throw failed(outcome, attempt)
    onRetry?.({ ...sent, code, durationMillis, waitMillis: pauseMillis })
    await pause(pauseMillis, signal)
  }
}
