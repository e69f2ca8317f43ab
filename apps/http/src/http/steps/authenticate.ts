/** Lets a request under the base address pass only with a valid API key of this deployment (specification, section 5). */
import { hash } from "node:crypto"
import {
  type ApiKey,
  authenticate as askStore,
  type CredentialRepository,
  type Cryptography,
  type Deployment,
} from "@petstore/core"
import { decodeAuthorization } from "@petstore/core/contract"
import { Effect, Option } from "effect"
import type { Exchange } from "../exchange.js"
import type { Run } from "../run.js"
import type { Step, Verdict } from "./step.js"

/** How long an accepted key is accepted again without asking the store, in ms. A revocation must reach every process within 5 s (specification 5.18). */
const rememberedMillis = 2_000

/** Most keys that are remembered; one more and all are asked for again. */
const rememberedMaximum = 10_000

export interface Authenticator {
  /** The API key of a request whose `Authorization` header was accepted a moment ago. */
  readonly recall: (exchange: Exchange) => ApiKey | undefined
  /** Asks the store, and remembers an accepted key for a moment. Throws an `HttpError`. */
  readonly ask: (exchange: Exchange) => Promise<ApiKey>
}

/** A key that was accepted. */
interface Known {
  readonly apiKey: ApiKey
  /** By the clock that nobody moves: set back, the other would let a revoked key live on. That one decides on expiry only. */
  readonly askedAtMillis: number
}

const isFresh = ({ askedAtMillis }: Known, nowMillis: number): boolean => nowMillis - askedAtMillis < rememberedMillis

export const createAuthenticator = (run: Run<CredentialRepository | Cryptography>, deployment: Deployment): Authenticator => {
  const remembered = new Map<string, Known>()
  /** What each connection sent last, which most send again: it is told by comparing it, without a hash, and gone with the connection. */
  const latest = new WeakMap<object, { readonly authorization: string; readonly known: Known }>()
  // Looked up by hash, like in the store: no secret stays in memory, and the look-up leaks no timing of it.
  const nameOf = (authorization: string): string => hash("sha256", authorization, "base64")

  const find = (connection: object, authorization: string, nowMillis: number): Known | undefined => {
    const last = latest.get(connection)
    if (last?.authorization === authorization && isFresh(last.known, nowMillis)) return last.known
    const known = remembered.get(nameOf(authorization))
    if (known === undefined || !isFresh(known, nowMillis)) return undefined
    latest.set(connection, { authorization, known })
    return known
  }

  return {
    recall: ({ req, startedAtMillis }) => {
      const { authorization } = req.headers
      const apiKey = authorization === undefined ? undefined : find(req.socket, authorization, startedAtMillis)?.apiKey
      const isExpired = apiKey !== undefined && Option.exists(apiKey.expiresAt, (date) => date.getTime() <= Date.now())
      return isExpired ? undefined : apiKey
    },

    ask: async ({ req }) => {
      const { authorization } = req.headers
      const askedAtMillis = performance.now()
      const apiKey = await run(
        Effect.flatMap(decodeAuthorization(authorization), (credential) => askStore(credential, deployment)),
      )
      if (authorization !== undefined) {
        if (remembered.size >= rememberedMaximum) remembered.clear()
        remembered.set(nameOf(authorization), { apiKey, askedAtMillis })
      }
      return apiKey
    },
  }
}

export const authenticate = ({ recall, ask }: Authenticator): Step => {
  const waitForStore = async (exchange: Exchange): Promise<Verdict> => {
    exchange.apiKey = await ask(exchange)
    return "pass"
  }
  return (exchange) => {
    if (!exchange.place.credential) return "pass"
    exchange.apiKey = recall(exchange)
    return exchange.apiKey === undefined ? waitForStore(exchange) : "pass"
  }
}
