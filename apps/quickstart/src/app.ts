/** The sample over HTTP: `POST /messages`. */
import { authenticate, type CredentialRepository, type Cryptography, type Deployment, requireWriting } from "@petstore/core"
import { decodeAuthorization, type RequestFailure } from "@petstore/core/contract"
import type { AppDatabase } from "@petstore/storage"
import { Effect, Either, Runtime } from "effect"
import Koa from "koa"
import { readJson } from "./json-body.js"
import { decodeNewMessage, queueMessage } from "./messages.js"
import { answerRefusals, refusal, refusalOf } from "./refusal.js"

export type Services = CredentialRepository | AppDatabase | Cryptography

const allow = { Allow: "POST, OPTIONS" }

export const createApp = (runtime: Runtime.Runtime<Services>, deployment: Deployment): Koa => {
  /** Runs a use case. A failure becomes a response. */
  const run = async <A>(useCase: Effect.Effect<A, RequestFailure, Services>): Promise<A> =>
    Either.getOrThrowWith(await Runtime.runPromise(runtime, Effect.either(useCase)), refusalOf)

  const app = new Koa()
  app.use(answerRefusals)
  app.use(async (ctx) => {
    const credential = decodeAuthorization(ctx.headers.authorization)
    const apiKey = await run(Effect.flatMap(credential, (presented) => authenticate(presented, deployment)))

    if (ctx.path !== "/messages") throw refusal("route_not_found", "Only POST /messages is served here.")
    if (ctx.method === "OPTIONS") {
      ctx.status = 204
      ctx.set(allow)
      return
    }
    if (ctx.method !== "POST") throw refusal("method_not_allowed", `/messages accepts only POST, got ${ctx.method}.`, allow)

    await run(requireWriting(apiKey))
    const { message } = await run(decodeNewMessage(await readJson(ctx)))
    ctx.body = await run(queueMessage(message, apiKey))
    ctx.status = 202
  })
  app.on("error", (thrown) => process.stderr.write(`${thrown instanceof Error ? thrown.stack : thrown}\n`))
  return app
}
