import * as Either from "effect/Either"
import { containsApiKey } from "../credentials/redacted-api-keys.js"
import { failure } from "../failure.js"

/** The request has no `Bearer` credential (specification 5.2, 5.5). */
export class CredentialMissing extends failure("CredentialMissing")<{
  /** Whether the header contains an API key without the scheme before it. */
  readonly lacksScheme: boolean
}> {
  override get message(): string {
    return this.lacksScheme
      ? "The API key lacks the Bearer scheme. Send it as: Authorization: Bearer <API_KEY>."
      : "The request needs an API key: Authorization: Bearer <API_KEY>."
  }
}

/** The scheme is case-insensitive (RFC 9110 §11.1). One or more spaces follow it (RFC 6750 §2.1). */
const bearer = /^bearer(?: +(.*))?$/is

/**
 * Extracts the credential from an `Authorization` header. `authenticate` checks the credential. Fails with `CredentialMissing` if
 * the header is absent or has another scheme, which RFC 6750 §3.1 treats like a missing credential.
 *
 * @param authorization  the header's value; `undefined` or `null` if absent
 * @example              decodeAuthorization("Bearer pst_dev_lost") // Either.right("pst_dev_lost")
 */
export const decodeAuthorization = (authorization: string | null | undefined): Either.Either<string, CredentialMissing> => {
  const credential = bearer.exec(authorization ?? "")?.[1]
  if (credential !== undefined && credential !== "") return Either.right(credential)
  return Either.left(new CredentialMissing({ lacksScheme: containsApiKey(authorization ?? "") }))
}
