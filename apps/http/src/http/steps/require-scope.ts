/** Lets a request that changes something pass only with a key that may (specification 5.25): every method but the safe GET and HEAD (RFC 9110 §9.2.1). */
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
