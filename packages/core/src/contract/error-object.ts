/** The Error object of the specification (section 7), which clients receive for a failure, and the headers that go with it. */
import { type CodeOf, codeByTag, type ErrorCode, errorCodes, failures, headersByTag, type RequestFailure } from "./failures.js"

/** Every `code`, with the one status that goes with it. */
// Safe: there is an entry for every code, with the status in its row.
export const errorStatuses = Object.fromEntries(errorCodes.map((code) => [code, failures[code].status])) as {
  readonly [Code in ErrorCode]: (typeof failures)[Code]["status"]
}

/** The body of every failure: exactly these three members. */
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

/** Turns a failure into its Error object, with the failure's message.
 *
 * @example toErrorObject(new PetNotFound({ petId: "seven" })) // { code: "pet_not_found", message: 'No pet has the identifier "seven".', status: 404 }
 */
export const toErrorObject = <Failure extends RequestFailure>({ _tag, message }: Failure): ErrorObject<CodeOf<Failure>> =>
  // Safe: every tag maps to its own code, which the compiler cannot infer from a type parameter.
  makeErrorObject(codeByTag[_tag] as CodeOf<Failure>, message)

/** The headers that a failure adds to its response, by name. */
export const failureHeaders = ({ _tag }: RequestFailure): Readonly<Record<string, string>> => headersByTag[_tag] ?? {}
