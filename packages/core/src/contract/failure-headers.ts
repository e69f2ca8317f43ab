/** The headers that an answer to a failure carries beside its Error object. */
import type { RequestFailure } from "./error-object.js"

/** RFC 6750 §3: no error code when no credential was sent. */
const challenge = 'Bearer realm="petstore"'

/** Names and values of the headers that a failure adds to its answer. */
export const failureHeaders = ({ _tag }: RequestFailure): ReadonlyArray<readonly [name: string, value: string]> => {
  switch (_tag) {
    case "CredentialMissing":
      return [["WWW-Authenticate", challenge]]
    case "CredentialRejected":
      return [["WWW-Authenticate", `${challenge}, error="invalid_token"`]]
    case "StorageUnavailable":
      return [["Retry-After", "1"]]
    default:
      return []
  }
}
