/** How a call ends in plain values: a failure is a value of its type, and what is thrown or rejected is a bug. */
import { Either } from "effect"
import { type CodeOf, type ErrorCode, type ErrorObject, toErrorObject } from "../contract/error-object.js"
import type { PetstoreError } from "../errors.js"
import type { FieldProblem } from "../json/invalid-input.js"

/**
 * What a call came to: the value, or why there is none. `Code` names every way in which
 * this call can fail, so a `switch` on `error.code` that forgets one does not compile.
 *
 * @example
 * const decoded = decodeNewPet('{"name": "", "categoryId": 7}')
 * decoded.ok ? decoded.value.name : decoded.error.code // "invalid_body"
 */
export type Result<A, Code extends ErrorCode> = { readonly ok: true; readonly value: A } | Failure<Code>

/** Why there is no value. */
export interface Failure<Code extends ErrorCode = ErrorCode> {
  readonly ok: false
  /** The Error object (specification, section 7), ready to be sent: exactly `code`, `message` and `status`. */
  readonly error: ErrorObject & { readonly code: Code }
  /** Every wrong field or parameter, for `invalid_body` and `invalid_parameter`; empty for all others. */
  readonly problems: ReadonlyArray<FieldProblem>
  /** What the store threw, for `storage_unavailable`: for the log, never for a client. `undefined` for all others. */
  readonly cause: unknown
}

/** Every failure of the domain that a call here can come to. */
export type PlainFailure = Exclude<PetstoreError, { readonly _tag: "CredentialRejected" }>

/** A result in the domain's own form as a plain one. */
export const resultOf = <A, E extends PlainFailure>(either: Either.Either<A, E>): Result<A, CodeOf<E>> =>
  Either.isRight(either) ? { ok: true, value: either.right } : failureOf(either.left)

const failureOf = <E extends PlainFailure>(failure: E): Failure<CodeOf<E>> => ({
  ok: false,
  error: toErrorObject(failure),
  problems: problemsOf(failure),
  cause: failure._tag === "StorageUnavailable" ? failure.cause : undefined,
})

const problemsOf = (failure: PlainFailure): ReadonlyArray<FieldProblem> => {
  if (failure._tag === "InvalidBody") return failure.problems
  if (failure._tag !== "InvalidParameter") return []
  return [{ field: failure.parameter, expected: failure.expected, received: failure.received }]
}
