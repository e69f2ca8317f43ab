/** Requires a key that may change data (specification 5.25), except for GET and HEAD, which are safe (RFC 9110 §9.2.1). */
import { requireWriting } from "@petstore/core"
import { Either } from "effect"
import { toHttpError } from "../error-response.js"
import type { Step } from "../service-koa.js"

export const requireScope: Step = ({ apiKey, method }, next) => {
  if (apiKey?.readOnly === true && method !== "GET" && method !== "HEAD") {
    Either.getOrThrowWith(requireWriting(apiKey), toHttpError)
  }
  return next()
}
