/**
 * The secret that a caller presents: `pst_<deployment>_`, 32 random characters (190 bits) and a CRC-32 of 6 characters. The
 * service refuses mistyped keys and keys for other deployments without a query to the store.
 */
import * as Either from "effect/Either"
import { randomBase62 } from "../base62.js"
import { checksumLength, checksumOf } from "../crc32.js"
import { CredentialRejected } from "../errors.js"
import { type Deployment, deployments } from "./deployment.js"

const prefixes: Readonly<Record<Deployment, string>> = {
  development: "pst_dev_",
  staging: "pst_test_",
  production: "pst_live_",
}

const randomLength = 32
const shape = new RegExp(`^pst_(?:dev|test|live)_[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Creates a new API key. Show it once, and store only its hash. */
export const generateApiKey = (deployment: Deployment, randomBytes: (size: number) => Uint8Array): string => {
  const start = prefixes[deployment] + randomBase62(randomLength, randomBytes)
  return start + checksumOf(start)
}

/**
 * Checks an API key's shape, checksum and deployment without a query. Fails with `CredentialRejected` if one of them is wrong.
 *
 * @example decodeApiKey("pst_dev_lost", "development") // Either.left(new CredentialRejected({ reason: "format" }))
 */
export const decodeApiKey = (key: string, deployment: Deployment): Either.Either<string, CredentialRejected> => {
  if (!shape.test(key)) return Either.left(new CredentialRejected({ reason: "format" }))
  const start = key.slice(0, -checksumLength)
  if (!key.endsWith(checksumOf(start))) return Either.left(new CredentialRejected({ reason: "checksum" }))
  if (key.startsWith(prefixes[deployment])) return Either.right(key)
  const keyOf = deployments.find((other) => key.startsWith(prefixes[other])) ?? deployment
  return Either.left(new CredentialRejected({ reason: { keyOf } }))
}
