/** How a call ends in plain values: a failure is a value of its type, and what is thrown or rejected is a bug. */
import { Either } from "effect"
import { type CodeOf, type ErrorCode, type ErrorObject, toErrorObject } from "../contract/error-object.js"
import type { AdministrationError, PetstoreError } from "../errors.js"
import type { FieldProblem } from "../json/invalid-input.js"

/**
 * What a call came to: the value, or why there is none. `Code` names every way in which
 * this call can fail, so a `switch` on `error.code` that forgets one does not compile.
 *
 * @example
 * const decoded = decodeNewPet('{"name": "", "categoryId": 7}')
 * decoded.ok ? decoded.value.name : decoded.error.code // "invalid_body"
 */
export type Result<A, Code extends FailureCode> = { readonly ok: true; readonly value: A } | Failure<Code>

/** The code of each failure of accounts and API keys. The service has no operation for them, so they have no status of HTTP. */
const administrationCodes = {
  AccountNameTaken: "account_name_taken",
  AccountNotFound: "account_not_found",
  ApiKeyChanged: "api_key_changed",
  ApiKeyInactive: "api_key_inactive",
  ApiKeyNotFound: "api_key_not_found",
} as const satisfies Readonly<Record<AdministrationError["_tag"], string>>

/** Every code that a call here can fail with. */
export type FailureCode = ErrorCode | (typeof administrationCodes)[keyof typeof administrationCodes]

/** Why there is no value. */
export interface Failure<Code extends FailureCode = ErrorCode> {
  readonly ok: false
  /**
   * The Error object (specification, section 7), ready to be sent: exactly `code`, `message` and `status`. The failures of
   * accounts and API keys have no `status`.
   */
  readonly error: Code extends ErrorCode
    ? ErrorObject & { readonly code: Code }
    : { readonly code: Code; readonly message: string }
  /** Every wrong field or parameter, for `invalid_body` and `invalid_parameter`; empty for all others. */
  readonly problems: ReadonlyArray<FieldProblem>
  /** What the store threw, for `storage_unavailable`: for the log, never for a client. `undefined` for all others. */
  readonly cause: unknown
}

/** Every failure of the domain that a call here can come to. */
export type PlainFailure = PetstoreError | AdministrationError

/** The code of a failure, as a type. */
export type PlainCodeOf<E extends PlainFailure> = E extends AdministrationError
  ? (typeof administrationCodes)[E["_tag"]]
  : E extends PetstoreError
    ? CodeOf<E>
    : never

/** A result in the domain's own form as a plain one. */
export const resultOf = <A, E extends PlainFailure>(either: Either.Either<A, E>): Result<A, PlainCodeOf<E>> =>
  Either.isRight(either) ? { ok: true, value: either.right } : failureOf(either.left)

const failureOf = <E extends PlainFailure>(failure: E): Failure<PlainCodeOf<E>> => ({
  ok: false,
  // Safe: the tag of a failure names its own code, which an index by a type parameter does not tell.
  error: errorOf(failure) as Failure<PlainCodeOf<E>>["error"],
  problems: problemsOf(failure),
  cause: failure._tag === "StorageUnavailable" ? failure.cause : undefined,
})

const errorOf = (failure: PlainFailure): Failure<FailureCode>["error"] =>
  isOfAdministration(failure) ? { code: administrationCodes[failure._tag], message: failure.message } : toErrorObject(failure)

const isOfAdministration = (failure: PlainFailure): failure is AdministrationError => failure._tag in administrationCodes

const problemsOf = (failure: PlainFailure): ReadonlyArray<FieldProblem> => {
  if (failure._tag === "InvalidBody") return failure.problems
  if (failure._tag !== "InvalidParameter") return []
  return [{ field: failure.parameter, expected: failure.expected, received: failure.received }]
}
