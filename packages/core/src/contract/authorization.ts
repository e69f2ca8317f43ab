/** The `Authorization` header: where a request carries its API key (specification, section 5). */
import * as Either from "effect/Either"
import { containsApiKey } from "../credentials/redacted-api-keys.js"
import { failure } from "../failure.js"

/** The request carries no credential of the scheme `Bearer` (specification 5.2, 5.5). */
export class CredentialMissing extends failure("CredentialMissing")<{
  /** Whether the header has an API key in it, but not after the scheme. */
  readonly lacksScheme: boolean
}> {
  override get message(): string {
    return this.lacksScheme
      ? "The API key lacks the scheme Bearer. Send it as: Authorization: Bearer <API_KEY>."
      : "The request needs an API key: Authorization: Bearer <API_KEY>."
  }
}

/** The scheme is matched without case (RFC 9110 §11.1); one or more spaces follow it (RFC 6750 §2.1). */
const bearer = /^bearer(?: +(.*))?$/is

/**
 * Takes the credential out of an `Authorization` header; `authenticate` says whether it is accepted.
 * Fails with `CredentialMissing` without one of the scheme `Bearer` (RFC 6750 §3.1 counts
 * an unsupported scheme as none).
 *
 * @param authorization  value of the header, `undefined` if absent
 * @example              decodeAuthorization("Bearer pst_dev_lost") // Either.right("pst_dev_lost")
 */
export const decodeAuthorization = (authorization: string | undefined): Either.Either<string, CredentialMissing> => {
  const credential = authorization === undefined ? undefined : bearer.exec(authorization)?.[1]
  if (credential !== undefined && credential !== "") return Either.right(credential)
  return Either.left(new CredentialMissing({ lacksScheme: containsApiKey(authorization ?? "") }))
}
