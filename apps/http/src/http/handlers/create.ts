/** How something is created: once for all requests that come with one idempotency key (specification, section 12). */
import { claimRequest, type IdempotencyClaim, type InvalidBody } from "@petstore/core"
import { decodeIdempotencyKey, type RequestFailure } from "@petstore/core/contract"
import { Effect, Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts, Services } from "../operation.js"
import { readJson } from "../request/json-body.js"
import { answerJson } from "../response/answer.js"

interface Creation<Given, Made> {
  /** Where what was created is found: `/v1/pets`. */
  readonly path: string
  readonly decode: (json: unknown) => Either.Either<Given, InvalidBody>
  readonly create: (given: Given) => Effect.Effect<Made, RequestFailure, Services>
  readonly createOnce: (given: Given, claim: IdempotencyClaim) => Effect.Effect<Made, RequestFailure, Services>
  readonly encode: (made: Made) => string
}

export const creating =
  <Given, Made extends { readonly id: bigint }>({ path, decode, create, createOnce, encode }: Creation<Given, Made>) =>
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
          Effect.flatMap(claimRequest(exchange.caller, `POST ${path}`, key, text), (claim) => createOnce(given, claim)),
      }),
    )
    answerJson(exchange, 201, encode(made), ["Location", `${path}/${made.id}`])
  }
