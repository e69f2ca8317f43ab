/** Every way in which a call can fail, as one union, so a `switch (error.code)` can be exhaustive. */
import { adviceFor, type ErrorCode } from "./advice.js"

/** The members of every failure. `message` says what happened and what to do next. `advice` only says what to do next. */
interface Failure extends Error {
  readonly name: "PetstoreError"
  /** What to do next, as a sentence to show. */
  readonly advice: string
  /** The call's identifier (`X-Request-Id`), which appears in the service's logs. */
  readonly requestId: string
  /** How many requests were sent. */
  readonly attempts: number
  /** How long the service asks the client to wait before the next request, if it does. */
  readonly retryAfterMillis: number | undefined
  /**
   * The key that createPet or orders.create sent. All calls with the same key within 24 hours create at most one pet or
   * order. `undefined` for other calls.
   */
  readonly idempotencyKey: string | undefined
}

/** The service responded with an Error object. */
export interface ServiceFailure extends Failure {
  readonly code: ErrorCode
  /** The HTTP status of the response. */
  readonly status: number
}

/**
 * There was no response: `network` (the connection failed or dropped), `timeout` (the deadline passed) or `aborted` (by your
 * signal), with the reason in `cause`; or `missing_etag` (nothing was sent, because `ifMatch` was `undefined`).
 */
export interface UnansweredFailure extends Failure {
  readonly code: "network" | "timeout" | "aborted" | "missing_etag"
  readonly status: undefined
}

/** The response is not from the pet store (`invalid_answer`), or its code is newer than this client (`unknown_code`). */
export interface UnreadableFailure extends Failure {
  readonly code: "invalid_answer" | "unknown_code"
  readonly status: number
}

/**
 * A failed call. Invalid arguments throw a `TypeError` instead.
 *
 * `error instanceof PetstoreError` narrows to this type. The check compares names, so it works across two copies of this
 * package.
 */
export type PetstoreError = ServiceFailure | UnansweredFailure | UnreadableFailure

/**
 * Whether a thrown value is a {@link PetstoreError}. Does the same as `instanceof`.
 *
 * @example if (isPetstoreError(error) && error.code === "pet_not_found") console.log(error.advice)
 */
export const isPetstoreError = (thrown: unknown): thrown is PetstoreError =>
  thrown instanceof Error && thrown.name === "PetstoreError"

/**
 * The right-hand side of `instanceof`. Not a constructor: only the client creates errors.
 *
 * @example if (error instanceof PetstoreError) console.log(error.code, error.advice)
 */
export const PetstoreError: { readonly [Symbol.hasInstance]: (thrown: unknown) => thrown is PetstoreError } = {
  [Symbol.hasInstance]: isPetstoreError,
}

/** Why one request failed. `retry` means that the same request may succeed later and is safe to repeat. */
export type Problem = (
  | { readonly code: ErrorCode | "invalid_answer" | "unknown_code"; readonly status: number }
  | { readonly code: "network" | "timeout" | "aborted"; readonly status: undefined; readonly cause: unknown }
  | { readonly code: "missing_etag"; readonly status: undefined }
) & {
  /** What happened, as a sentence. */
  readonly sentence: string
  readonly retry: boolean
  readonly requestId?: string | undefined
  readonly retryAfterMillis?: number | undefined
}

type CallFacts = Pick<Failure, "requestId" | "attempts" | "idempotencyKey"> & { readonly apiKey: string; readonly doubt: string }

export const toError = (problem: Problem, { apiKey, requestId, attempts, idempotencyKey, doubt }: CallFacts): PetstoreError => {
  const { code, status, sentence, retryAfterMillis } = problem
  const advice = adviceFor(code, apiKey, doubt)
  // The service's own message may already contain part of the advice, or end with a URL.
  const more = advice.split(". ").filter((part) => !sentence.includes(part))
  const error = new Error(
    more.length === 0 ? sentence : [sentence.replace(/\.$/, ""), ...more].join(". "),
    "cause" in problem ? { cause: problem.cause } : undefined,
  )
  const facts = { advice, requestId: problem.requestId ?? requestId, attempts, retryAfterMillis, idempotencyKey }
  // Safe: `code` and `status` come from one member of `Problem`, which allows the same pairs as the union.
  return Object.assign(error, { name: "PetstoreError", ...facts, code, status }) as PetstoreError
}

/** The parts of an error that a test makes. Only `code` and, if there was a response, `status` are required. */
export type MadeError = (
  | Pick<ServiceFailure, "code" | "status">
  | Pick<UnreadableFailure, "code" | "status">
  | (Pick<UnansweredFailure, "code"> & { readonly status?: undefined })
) &
  Partial<Pick<Failure, "message" | "cause" | "requestId" | "attempts" | "retryAfterMillis" | "idempotencyKey">>

/**
 * Makes an error as the client throws it, with its advice, for tests of your own code.
 *
 * @example makePetstoreError({ code: "pet_not_found", status: 404 }).code // "pet_not_found"
 */
export const makePetstoreError = (parts: MadeError): PetstoreError => {
  const { message = `Made for a test: ${parts.code}.`, ...rest } = parts
  // Safe: `MadeError` allows the same pairs of `code` and `status`.
  const problem = { ...rest, sentence: message, retry: false } as Problem
  return toError(problem, {
    idempotencyKey: undefined,
    requestId: "made-for-a-test",
    attempts: 1,
    ...rest,
    apiKey: "",
    doubt: "",
  })
}
