/** From a failure to an answer: the codes and sentences are core's, the headers are ours. */
import { type ErrorCode, type ErrorObject, errorObject, type PetstoreError, toErrorObject } from "@petstore/core"
import type { Middleware } from "koa"

type Headers = Readonly<Record<string, string>>

/** A request is answered with an Error object. */
export class Refusal extends Error {
  readonly object: ErrorObject
  readonly headers: Headers

  constructor(object: ErrorObject, headers: Headers = {}) {
    super(object.message)
    this.object = object
    this.headers = headers
  }
}

/** Refuses a request for a reason that the domain does not know. */
export const refusal = (code: ErrorCode, message: string, headers: Headers = {}): Refusal =>
  new Refusal(errorObject(code, message), headers)

/** Refuses a request for a failure of the domain. */
export const refusalOf = (failure: PetstoreError): Refusal => new Refusal(toErrorObject(failure), headersOf(failure))

/** RFC 6750 §3: a 401 says which scheme it wants, and names an error only if a credential was sent. */
const headersOf = (failure: PetstoreError): Headers => {
  switch (failure._tag) {
    case "CredentialMissing":
      return { "WWW-Authenticate": 'Bearer realm="petstore"' }
    case "CredentialRejected":
      return { "WWW-Authenticate": 'Bearer realm="petstore", error="invalid_token"' }
    case "StorageUnavailable":
      return { "Retry-After": "1" }
    default:
      return {}
  }
}

/** Answers every failure. What is no refusal is a bug of ours: it is logged whole, and the caller learns nothing of it. */
export const answerRefusals: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) ctx.app.emit("error", thrown, ctx)
    const { object, headers } = thrown instanceof Refusal ? thrown : refusal("internal_error", "Unexpected failure.")
    ctx.status = object.status
    ctx.set(headers)
    ctx.body = JSON.stringify(object)
    ctx.type = "application/json"
  }
}
