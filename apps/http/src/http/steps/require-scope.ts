/**
 * Lets a request that may change data pass only with a key that permits it (specification 5.25). Every method may change data
 * except GET and HEAD, which are safe (RFC 9110 §9.2.1).
 */
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
