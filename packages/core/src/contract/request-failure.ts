/** From a failure to what a caller of HTTP sees of it. */
import type { PetstoreError } from "../errors.js"
import type { CredentialMissing } from "./authorization.js"
import { type ErrorObject, makeErrorObject } from "./error-object.js"
import { type ErrorCode, errorCodes, factsOf, type failures } from "./failures.js"

/** What a request can fail with: what the domain can, and a credential that was not sent. */
export type RequestFailure = PetstoreError | CredentialMissing

/** The code of a failure, as a type. */
export type CodeOf<Failure extends RequestFailure> = {
  [Code in ErrorCode]: (typeof failures)[Code] extends { readonly tag: infer Tag }
    ? Tag extends Failure["_tag"]
      ? Code
      : never
    : never
}[ErrorCode]

type CodeByTag = { readonly [Failure in RequestFailure as Failure["_tag"]]: CodeOf<Failure> }

/** The code of each failure, by its tag. */
// Safe: each row that has a tag is an entry.
export const codeByTag = Object.fromEntries(errorCodes.map((code) => [factsOf(code).tag, code])) as CodeByTag

/** From a failure to its Error object, which says what the failure says.
 *
 * @example toErrorObject(new PetNotFound({ petId: "7" })) // { code: "pet_not_found", message: 'No pet has the identifier "7".', status: 404 }
 */
export const toErrorObject = <Failure extends RequestFailure>({ _tag, message }: Failure): ErrorObject<CodeOf<Failure>> =>
  // Safe: a failure's tag names the row of its own code, which an index by a type parameter does not tell.
  makeErrorObject(codeByTag[_tag] as CodeOf<Failure>, message)

/** The headers that a failure adds to its answer, by name. */
export const failureHeaders = ({ _tag }: RequestFailure): Readonly<Record<string, string>> =>
  factsOf(codeByTag[_tag]).headers ?? {}
