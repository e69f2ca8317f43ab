/** `POST` of something new: once for all requests that come with one idempotency key (specification, section 12). */
import { claimRequest } from "@petstore/core"
import { type CreateUseCase, decodeIdempotencyKey, type RequestFailure } from "@petstore/core/contract"
import { Effect, Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts, Served, Services } from "../operation.js"
import { readJson } from "../request/json-body.js"
import { answerJson } from "../response/answer.js"
import { etagOf } from "../response/entity-tag.js"

export const creating =
  <Given, Made extends { readonly id: bigint }>(
    { path, status }: Served,
    { decode, run: create, encode }: CreateUseCase<Given, Made, RequestFailure, Services>,
  ) =>
  ({ run, bodyLimitBytes }: Parts): Handler =>
  async (exchange) => {
    // The server has joined the repetitions of a header.
    const header = exchange.req.headers["idempotency-key"]?.toString()
    const idempotencyKey = Either.getOrThrowWith(decodeIdempotencyKey(header), toHttpError)
    const { text, json } = await readJson(exchange.req, bodyLimitBytes)
    const given = Either.getOrThrowWith(decode(json), toHttpError)
    const made = await run(
      Option.match(idempotencyKey, {
        onNone: () => create(given),
        onSome: (key) =>
          Effect.flatMap(claimRequest(exchange.caller, `POST ${path}`, key, text), (claim) => create(given, claim)),
      }),
    )
    const body = encode(made)
    answerJson(exchange, status, body, ["Location", `${path}/${made.id}`, "ETag", etagOf(body)])
  }
