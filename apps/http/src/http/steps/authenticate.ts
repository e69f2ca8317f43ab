/** Lets a request under the base address pass only with a valid API key for this deployment (specification, section 5). */
import { hash } from "node:crypto"
import { connectionOf } from "@petstore/bounded-http"
import {
  type ApiKey,
  authenticate as askStore,
  type CredentialRepository,
  type Cryptography,
  type Deployment,
} from "@petstore/core"
import { decodeAuthorization } from "@petstore/core/contract"
import { Effect, Either, Option } from "effect"
import { keyPage } from "../../openapi/error-examples.js"
import { HttpError } from "../error-response.js"
import type { Exchange } from "../exchange.js"
import { andThen, type Run } from "../run.js"
import type { Step } from "../service-koa.js"

/** How long an accepted key is cached, in ms. A revocation must reach every process within 5 s (specification 5.18). */
const cacheMillis = 2_000

/** The maximum number of keys in the cache. A further key empties the cache. */
const cacheMaximum = 10_000

/** Finds the API key of a request: in the cache, if it was recently accepted, or in the store. Otherwise, throws an `HttpError`. */
export type Authenticator = (exchange: Exchange, nowMillis?: number) => ApiKey | Promise<ApiKey>

interface CacheEntry {
  readonly apiKey: ApiKey
  /** Monotonic clock, because setting the wall clock back would keep a revoked key cached. Only expiry uses the wall clock. */
  readonly askedAtMillis: number
}

const isFresh = ({ askedAtMillis }: Pick<CacheEntry, "askedAtMillis">, nowMillis: number): boolean =>
  nowMillis - askedAtMillis < cacheMillis

export const createAuthenticator = (run: Run<CredentialRepository | Cryptography>, deployment: Deployment): Authenticator => {
  const cache = new Map<string, CacheEntry>()
  /** Each connection's last key, which most clients send again: compared without a hash, and dropped with the connection. */
  const latest = new WeakMap<object, { readonly authorization: string; readonly entry: CacheEntry }>()
  // Looked up by hash, as in the store, so that no secret stays in memory and the lookup does not leak timing.
  const nameOf = (authorization: string): string => hash("sha256", authorization, "base64")

  const find = (connection: object, authorization: string, nowMillis: number): CacheEntry | undefined => {
    const last = latest.get(connection)
    if (last?.authorization === authorization && isFresh(last.entry, nowMillis)) return last.entry
    const entry = cache.get(nameOf(authorization))
    if (entry === undefined || !isFresh(entry, nowMillis)) return undefined
    latest.set(connection, { authorization, entry })
    return entry
  }

  /** Lookups that have no result yet, by the hash of the key: requests that come together with one key share a lookup. */
  const lookups = new Map<string, { readonly found: Promise<ApiKey>; readonly askedAtMillis: number }>()

  const findInStore = (authorization: string | undefined): ApiKey | Promise<ApiKey> => {
    const askedAtMillis = performance.now()
    const name = nameOf(authorization ?? "")
    const former = lookups.get(name)
    if (former !== undefined && isFresh(former, askedAtMillis)) return former.found
    const credential = decodeAuthorization(authorization)
    const found = andThen(
      run(
        Either.match(credential, { onLeft: Effect.fail, onRight: (given) => askStore(given, deployment) }),
        "This request did not run. Try again.",
      ),
      (apiKey) => {
        if (cache.size >= cacheMaximum) cache.clear()
        cache.set(name, { apiKey, askedAtMillis })
        return apiKey
      },
    )
    if (!(found instanceof Promise)) return found
    lookups.set(name, { found, askedAtMillis })
    const end = (): void => {
      if (lookups.get(name)?.found === found) lookups.delete(name)
    }
    found.then(end, end)
    return found
  }

  return ({ req, startedAtMillis }, nowMillis = startedAtMillis) => {
    const { authorization } = req.headers
    const apiKey = authorization === undefined ? undefined : find(connectionOf(req), authorization, nowMillis)?.apiKey
    const isExpired = apiKey !== undefined && Option.exists(apiKey.expiresAt, (date) => date.getTime() <= Date.now())
    return apiKey === undefined || isExpired ? findInStore(authorization) : apiKey
  }
}

/** Puts the path of the base address in front of the page that a 401 names. */
export const namingKeyPageUnder = (pathPrefix: string, findApiKey: Authenticator): Authenticator => {
  const rethrow = (thrown: unknown): never => {
    if (!(thrown instanceof HttpError)) throw thrown
    const { object, headers, cause } = thrown
    throw new HttpError({ ...object, message: object.message.replace(keyPage, pathPrefix + keyPage) }, { headers, cause })
  }
  return (exchange, nowMillis) => {
    try {
      const found = findApiKey(exchange, nowMillis)
      return found instanceof Promise ? found.catch(rethrow) : found
    } catch (thrown) {
      return rethrow(thrown)
    }
  }
}

export const authenticate =
  (findApiKey: Authenticator): Step =>
  (exchange, next) => {
    if (!exchange.resource.credential) return next()
    return andThen(findApiKey(exchange), (apiKey) => {
      exchange.apiKey = apiKey
      return next()
    })
  }
