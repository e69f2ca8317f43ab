/** Lets a request under the base address pass only with a valid API key of this deployment (specification, section 5). */
import { hash } from "node:crypto"
import {
  type ApiKey,
  authenticate as askStore,
  type CredentialRepository,
  type Cryptography,
  type Deployment,
} from "@petstore/core"
import { Option } from "effect"
import type { Run } from "../run.js"
import type { Step } from "./step.js"

/** How long an accepted key is accepted again without asking the store, in ms. A revocation must reach every process within 5 s (specification 5.18). */
const rememberedMillis = 2_000

/** Most keys that are remembered; one more and all are asked for again. */
const rememberedMaximum = 10_000

export interface Authenticator {
  /** The API key of an `Authorization` header that was accepted a moment ago. */
  readonly recall: (authorization: string | undefined) => ApiKey | undefined
  /** Asks the store, and remembers an accepted key for a moment. Throws an `HttpError`. */
  readonly ask: (authorization: string | undefined) => Promise<ApiKey>
}

export const createAuthenticator = (run: Run<CredentialRepository | Cryptography>, deployment: Deployment): Authenticator => {
  // Kept for a moment by a clock that nobody moves: set back, the other would let a revoked key live on. It decides on expiry only.
  const remembered = new Map<string, { readonly apiKey: ApiKey; readonly askedAtMillis: number }>()
  // Looked up by hash, like in the store: no secret stays in memory, and the look-up leaks no timing of it.
  const nameOf = (authorization: string): string => hash("sha256", authorization, "base64")

  return {
    recall: (authorization) => {
      if (authorization === undefined) return undefined
      const known = remembered.get(nameOf(authorization))
      if (known === undefined || performance.now() - known.askedAtMillis >= rememberedMillis) return undefined
      return Option.exists(known.apiKey.expiresAt, (date) => date.getTime() <= Date.now()) ? undefined : known.apiKey
    },

    ask: async (authorization) => {
      const askedAtMillis = performance.now()
      const apiKey = await run(askStore(authorization, deployment))
      if (authorization !== undefined) {
        if (remembered.size >= rememberedMaximum) remembered.clear()
        remembered.set(nameOf(authorization), { apiKey, askedAtMillis })
      }
      return apiKey
    },
  }
}

export const authenticate = ({ recall, ask }: Authenticator): Step => {
  const waitForStore = async (exchange: Parameters<Step>[0]) => {
    exchange.apiKey = await ask(exchange.req.headers.authorization)
    return "pass" as const
  }
  return (exchange) => {
    if (!exchange.place.credential) return "pass"
    exchange.apiKey = recall(exchange.req.headers.authorization)
    return exchange.apiKey === undefined ? waitForStore(exchange) : "pass"
  }
}
