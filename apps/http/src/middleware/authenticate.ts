/** Lets a request pass only with a valid API key of this deployment (specification, section 5). */
import { hash } from "node:crypto"
import { type ApiKey, authenticate, type CredentialRepository, type Cryptography, type Deployment } from "@petstore/core"
import { Option } from "effect"
import type { Middleware } from "koa"
import type { Run } from "../run.js"

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
  const remembered = new Map<string, { readonly apiKey: ApiKey; readonly untilMillis: number }>()
  // Looked up by hash, like in the store: no secret stays in memory, and the look-up leaks no timing of it.
  const nameOf = (authorization: string): string => hash("sha256", authorization, "base64")

  return {
    recall: (authorization) => {
      if (authorization === undefined) return undefined
      const known = remembered.get(nameOf(authorization))
      return known !== undefined && Date.now() < known.untilMillis ? known.apiKey : undefined
    },

    ask: async (authorization) => {
      const askedAtMillis = Date.now()
      const apiKey = await run(authenticate(authorization, deployment))
      if (authorization !== undefined) {
        if (remembered.size >= rememberedMaximum) remembered.clear()
        const expiresAtMillis = Option.match(apiKey.expiresAt, { onNone: () => Infinity, onSome: (date) => date.getTime() })
        const untilMillis = Math.min(askedAtMillis + rememberedMillis, expiresAtMillis)
        remembered.set(nameOf(authorization), { apiKey, untilMillis })
      }
      return apiKey
    },
  }
}

export const requireApiKey =
  ({ recall, ask }: Authenticator): Middleware =>
  async (ctx, next) => {
    const { authorization } = ctx.req.headers
    ctx.state["apiKey"] = recall(authorization) ?? (await ask(authorization))
    await next()
  }
