/** The `Idempotency-Key` of a request (specification, section 12). */
import { decodeIdempotencyKey } from "@petstore/core"
import { Either, type Option } from "effect"
import type { Context } from "koa"
import { toHttpError } from "./error-response.js"

/** Reads the header, whose repetitions the server has joined. Throws an `HttpError`. */
export const idempotencyKeyOf = (ctx: Context): Option.Option<string> => {
  const header = ctx.req.headers["idempotency-key"]
  return Either.getOrThrowWith(decodeIdempotencyKey(Array.isArray(header) ? header.join(", ") : header), toHttpError)
}
