/** `POST` that creates a resource, only once for all requests with the same idempotency key (specification, section 12). */
import { claimRequest } from "@petstore/core"
import { type CreateUseCase, decodeIdempotencyKey, type RequestFailure } from "@petstore/core/contract"
import { Effect, Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts, Served, Services } from "../operation.js"
import { readJson } from "../request/json-body.js"
import { etagOf } from "../response/entity-tag.js"
import { sendJson } from "../response/send.js"

/** What to do if the database became unavailable during a creation. */
const mayBeDone = "It may have been stored: look for it before you send it again. With an Idempotency-Key, sending again is safe."
const mayBeDoneOnce = "It may have been stored. Send it again with the same Idempotency-Key: it is never stored twice."

export const creating =
  <Given, Made extends { readonly id: bigint }>(
    { path, status }: Served,
    { decode, run: create, runOnce, encode }: CreateUseCase<Given, Made, RequestFailure, Services>,
  ) =>
  ({ run, bodyLimitBytes, pathPrefix }: Parts): Handler =>
  async (exchange) => {
    // The server has already joined repeated headers.
    const header = exchange.req.headers["idempotency-key"]?.toString()
    const idempotencyKey = Either.getOrThrowWith(decodeIdempotencyKey(header), toHttpError)
    const { text, json } = await readJson(exchange.req, bodyLimitBytes)
    const given = Either.getOrThrowWith(decode(json), toHttpError)
    const headersOf = (made: Made, body: string) => {
      exchange.made = made.id
      return ["Location", `${pathPrefix}${path}/${made.id}`, "ETag", etagOf(body)]
    }
    if (Option.isNone(idempotencyKey)) {
      const made = await run(create(given, exchange.by), mayBeDone)
      const body = encode(made)
      return sendJson(exchange, status, body, headersOf(made, body))
    }
    const claim = claimRequest(exchange.caller, `POST ${path}`, idempotencyKey.value, text)
    const { value: made, isNew } = await run(
      Effect.flatMap(claim, (claimed) => runOnce(given, claimed, exchange.by)),
      mayBeDoneOnce,
    )
    const body = encode(made)
    sendJson(exchange, status, body, [...headersOf(made, body), ...(isNew ? [] : ["Idempotent-Replayed", "true"])])
  }
