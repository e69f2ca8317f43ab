import type { ErrorObject } from "../contract/error-object.js"
import type { ErrorCode } from "../contract/failures.js"
import type { AdministrationError } from "../errors.js"
import type { FieldProblem } from "../json/field-problem.js"

/**
 * The result of a call: the value, or the failure. `Code` lists every way in which the call can fail, so the compiler can check
 * that a `switch` on `error.code` handles each of them.
 *
 * @example
 * const decoded = parseNewPet('{"name": "", "categoryId": 7}')
 * decoded.ok ? decoded.value.name : decoded.error.code // "invalid_body"
 */
export type Result<A, Code extends FailureCode> = { readonly ok: true; readonly value: A } | Failure<Code>

/**
 * The result of a call that creates a value unless it already exists. `isNew` is false if an earlier call with the same
 * idempotency key created the value, or if the category already had a name.
 */
export type OnceResult<A, Code extends FailureCode> =
  | { readonly ok: true; readonly value: A; readonly isNew: boolean }
  | Failure<Code>

/** Failure codes for accounts and API keys. The service has no such operations, so the codes have no HTTP status. */
export const administrationCodes = {
  AccountNameTaken: "account_name_taken",
  AccountNotFound: "account_not_found",
  ApiKeyChanged: "api_key_changed",
  ApiKeyInactive: "api_key_inactive",
  ApiKeyNotFound: "api_key_not_found",
} as const satisfies Readonly<Record<AdministrationError["_tag"], string>>

/** Every code that a call in this package can fail with. */
export type FailureCode = ErrorCode | (typeof administrationCodes)[keyof typeof administrationCodes]

/** The failure of a call. */
export interface Failure<Code extends FailureCode = ErrorCode> {
  readonly ok: false
  /** The Error object (specification, section 7), ready to send. Only failures for accounts and API keys have no `status`. */
  readonly error: Code extends ErrorCode ? ErrorObject<Code> : { readonly code: Code; readonly message: string }
  /** Every invalid field or parameter, for `invalid_body` and `invalid_parameter`. Empty for all other codes. */
  readonly problems: ReadonlyArray<FieldProblem>
  /** The store's error, for `storage_unavailable`: for the log, never for a client. `undefined` for all other codes. */
  readonly cause: unknown
}
