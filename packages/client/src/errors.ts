/** Every way a call can fail, as one union: `switch (error.code)` knows them all. */
import { adviceFor, type ErrorCode } from "./advice.js"

/** Members of every failure. `message` says what happened and what to do next, `advice` only the latter. */
interface Failure extends Error {
  readonly name: "PetstoreError"
  /** What to do next, as a sentence to show. */
  readonly advice: string
  /** Identifier of the call, in every log of the service: `X-Request-Id`. */
  readonly requestId: string
  /** How many requests were sent. */
  readonly attempts: number
  /** How long the service asks to wait before the next request, if it did. */
  readonly retryAfterMillis: number | undefined
  /** The key that createPet or orders.create sent. A repeated call with it creates at most one. `undefined` for other calls. */
  readonly idempotencyKey: string | undefined
}

/** The service answered with an Error object. */
interface ServiceFailure extends Failure {
  readonly code: ErrorCode
  /** HTTP status of the response. */
  readonly status: number
}

/**
 * There was no response: `network` (no connection, or it dropped), `timeout` (the deadline passed),
 * `aborted` (by your signal). `cause` holds the reason.
 */
interface UnansweredFailure extends Failure {
  readonly code: "network" | "timeout" | "aborted"
  readonly status: undefined
}

/** The response is not one of the pet store (`invalid_answer`), or its code is newer than this client (`unknown_code`). */
interface UnreadableFailure extends Failure {
  readonly code: "invalid_answer" | "unknown_code"
  readonly status: number
}

/**
 * A failed call. Invalid arguments throw a `TypeError` instead.
 *
 * `error instanceof PetstoreError` narrows to it. It compares names, so that two copies of this package agree.
 */
export type PetstoreError = ServiceFailure | UnansweredFailure | UnreadableFailure

/**
 * Whether a thrown value is a {@link PetstoreError}, as by `instanceof`.
 *
 * @example if (isPetstoreError(error) && error.code === "pet_not_found") console.log(error.advice)
 */
export const isPetstoreError = (thrown: unknown): thrown is PetstoreError =>
  thrown instanceof Error && thrown.name === "PetstoreError"

/**
 * The right side of `instanceof`. Only the client creates errors.
 *
 * @example if (error instanceof PetstoreError) console.log(error.code, error.advice)
 */
export const PetstoreError: { readonly [Symbol.hasInstance]: (thrown: unknown) => thrown is PetstoreError } = {
  [Symbol.hasInstance]: isPetstoreError,
}

/** Why one request failed. `retry`: the same request may succeed later, and repeating it is safe. */
export type Problem = (
  | { readonly code: ErrorCode | "invalid_answer" | "unknown_code"; readonly status: number }
  | { readonly code: "network" | "timeout" | "aborted"; readonly status: undefined; readonly cause: unknown }
) & {
  /** What happened, as a sentence. */
  readonly sentence: string
  readonly retry: boolean
  readonly requestId?: string
  readonly retryAfterMillis?: number | undefined
}

/** The context of the call. */
interface Call {
  readonly apiKey: string
  readonly requestId: string
  readonly attempts: number
  readonly idempotencyKey: string | undefined
}

export const toError = (problem: Problem, { apiKey, requestId, attempts, idempotencyKey }: Call): PetstoreError => {
  const { code, status, sentence, retryAfterMillis } = problem
  const advice = adviceFor(code, apiKey, idempotencyKey !== undefined)
  const error = new Error(`${sentence} ${advice}`, "cause" in problem ? { cause: problem.cause } : undefined)
  const facts = {
    name: "PetstoreError",
    advice,
    requestId: problem.requestId ?? requestId,
    attempts,
    retryAfterMillis,
    idempotencyKey,
  }
  // Safe: `code` and `status` come from one member of `Problem`, whose pairs are those of the union.
  return Object.assign(error, facts, { code, status }) as PetstoreError
}
