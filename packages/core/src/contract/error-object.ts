/** The Error object of the specification (section 7): what a client sees of a failure. */
import { type ErrorCode, errorCodes, failures } from "./failures.js"

/** Every value of `code`, with the status that always goes with it. */
// Safe: an entry for each code, with the status of its row.
export const errorStatuses = Object.fromEntries(errorCodes.map((code) => [code, failures[code].status])) as {
  readonly [Code in ErrorCode]: (typeof failures)[Code]["status"]
}

/** The body of every failure: exactly these three members. */
export interface ErrorObject<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  readonly message: string
  /** The HTTP status code, the same as the response's. */
  readonly status: (typeof errorStatuses)[Code]
}

/** The Error object of a code. The status follows from the code.
 *
 * @example makeErrorObject("rate_limited", "Too many requests.").status // 429
 */
export const makeErrorObject = <Code extends ErrorCode>(code: Code, message: string): ErrorObject<Code> => ({
  code,
  message,
  status: errorStatuses[code],
})
