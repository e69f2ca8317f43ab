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
    const { value: made, isNew } = Option.isNone(idempotencyKey)
      ? { value: await run(create(given, exchange.by), mayBeDone), isNew: true }
      : await run(
          Effect.flatMap(claimRequest(exchange.caller, `POST ${path}`, idempotencyKey.value, text), (claim) =>
            runOnce(given, claim, exchange.by),
          ),
          mayBeDoneOnce,
        )
    exchange.made = made.id
    const body = encode(made)
    const replayed = isNew ? [] : ["Idempotent-Replayed", "true"]
    sendJson(exchange, status, body, ["Location", `${pathPrefix}${path}/${made.id}`, "ETag", etagOf(body), ...replayed])
  }
