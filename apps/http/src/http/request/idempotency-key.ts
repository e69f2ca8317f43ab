/** The `Idempotency-Key` of a request (specification, section 12). */
import type { IncomingMessage } from "node:http"
import { decodeIdempotencyKey } from "@petstore/core/contract"
import { Either, type Option } from "effect"
import { toHttpError } from "../error-response.js"

/** Reads the header, whose repetitions the server has joined. Throws an `HttpError`. */
export const idempotencyKeyOf = ({ headers }: IncomingMessage): Option.Option<string> => {
  const header = headers["idempotency-key"]
  return Either.getOrThrowWith(decodeIdempotencyKey(Array.isArray(header) ? header.join(", ") : header), toHttpError)
}
