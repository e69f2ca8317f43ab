/** Reads a request body as JSON, with exact integers. */
import { isUtf8 } from "node:buffer"
import { decodeJson } from "@petstore/core"
import { Either } from "effect"
import type { Context } from "koa"
import getRawBody from "raw-body"
import { refusal, refusalOf } from "./refusal.js"

const bodyLimitBytes = 65_536

export const readJson = async ({ req, request }: Context): Promise<unknown> => {
  if (request.type.toLowerCase() !== "application/json" || !["", "utf-8", "utf8"].includes(request.charset.toLowerCase())) {
    throw refusal("unsupported_content_type", "Content-Type: expected application/json.")
  }
  const bytes = await getRawBody(req, { length: req.headers["content-length"] ?? null, limit: bodyLimitBytes }).catch(
    (thrown) => {
      throw thrown.type === "entity.too.large"
        ? refusal("body_too_large", `The body is larger than ${bodyLimitBytes} bytes.`)
        : refusal("malformed_request", "The request ended before its body was complete.")
    },
  )
  if (!isUtf8(bytes)) throw refusal("invalid_json", "The body is not valid JSON: it is not UTF-8.")
  return Either.getOrThrowWith(decodeJson(bytes.toString()), refusalOf)
}
