/** The sample over HTTP: `POST /messages` (specification, section 4.4). */
import type { IncomingMessage } from "node:http"
import { authenticate, type CredentialRepository, type Cryptography, type Deployment, requireWriting } from "@petstore/core"
import { decodeAuthorization, type RequestFailure } from "@petstore/core/contract"
import { Effect, Either, Runtime } from "effect"
import Koa from "koa"
import { readJson } from "./json-body.js"
import { decodeNewMessage } from "./message.js"
import type { MessageRepository } from "./message-repository.js"
import { queueMessage } from "./messages.js"
import { answerRefusals, refusal, refusalOf } from "./refusal.js"

/** What the use cases of the sample need. */
export type Services = CredentialRepository | MessageRepository | Cryptography

/** RFC 9112 §3.2: exactly one Host in HTTP/1.1. Several were joined by a comma, which no host has. */
const requireHost = ({ headers: { host }, httpVersion }: IncomingMessage): void => {
  if (host === undefined ? httpVersion === "1.1" : host.includes(",")) {
    throw refusal("malformed_request", "Host: expected one header, got none or several.", { Connection: "close" })
  }
}

export const createApp = (runtime: Runtime.Runtime<Services>, deployment: Deployment): Koa => {
  /** Runs a use case; its failure becomes an answer. */
  const run = async <A>(useCase: Effect.Effect<A, RequestFailure, Services>): Promise<A> =>
    Either.getOrThrowWith(await Runtime.runPromise(runtime, Effect.either(useCase)), refusalOf)

  const app = new Koa()
  app.use(answerRefusals)
  app.use(async (ctx) => {
    requireHost(ctx.req)
    const apiKey = await run(
      Effect.flatMap(decodeAuthorization(ctx.req.headers.authorization), (credential) => authenticate(credential, deployment)),
    )

    if (ctx.path !== "/messages") throw refusal("route_not_found", "Nothing is served here but POST /messages.")
    if (ctx.method === "OPTIONS") {
      ctx.status = 204
      ctx.set("Allow", "POST, OPTIONS")
      return
    }
    if (ctx.method !== "POST") {
      throw refusal("method_not_allowed", `${ctx.method} is not a method of /messages: use POST.`, { Allow: "POST, OPTIONS" })
    }

    Either.getOrThrowWith(requireWriting(apiKey), refusalOf)
    const newMessage = Either.getOrThrowWith(decodeNewMessage(await readJson(ctx)), refusalOf)
    const { id, message, createdAt } = await run(queueMessage(newMessage, apiKey))
    ctx.status = 202
    ctx.body = { id, message, status: "queued", createdAt }
  })
  app.on("error", (thrown) => process.stderr.write(`${thrown instanceof Error ? thrown.stack : thrown}\n`))
  return app
}
