import { type ErrorCode, errorCodes, failures } from "./failures.js"

/** The status for each `code`. */
// Safe: there is an entry for every code, with the status in its row.
export const errorStatuses = Object.fromEntries(errorCodes.map((code) => [code, failures[code].status])) as {
  readonly [Code in ErrorCode]: (typeof failures)[Code]["status"]
}

/** The Error object (specification, section 7), which is the body of every failure: exactly these three members. */
export interface ErrorObject<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  readonly message: string
  /** The HTTP status code of the response. */
  readonly status: (typeof errorStatuses)[Code]
}

/** Makes the Error object for a code. The code determines the status.
 *
 * @example makeErrorObject("rate_limited", "Too many requests.").status // 429
 */
export const makeErrorObject = <Code extends ErrorCode>(code: Code, message: string): ErrorObject<Code> => ({
  code,
  message,
  status: errorStatuses[code],
})
