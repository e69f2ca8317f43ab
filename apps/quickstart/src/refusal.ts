/** Turns failures into responses. */
import {
  type ErrorCode,
  type ErrorObject,
  failureHeaders,
  makeErrorObject,
  type RequestFailure,
  toErrorObject,
} from "@petstore/core/contract"
import { Data } from "effect"
import type { Middleware } from "koa"

type Headers = Readonly<Record<string, string>>

/** A refused request, whose response is an Error object. */
export class Refusal extends Data.Error<{
  readonly message: string
  readonly object: ErrorObject
  readonly headers: Headers
}> {}

/** Creates the refusal for a reason that the domain does not have. */
export const refusal = (code: ErrorCode, message: string, headers: Headers = {}): Refusal =>
  new Refusal({ message, object: makeErrorObject(code, message), headers })

/** Creates the refusal for a domain failure or a missing credential. */
export const refusalOf = (failure: RequestFailure): Refusal =>
  new Refusal({ message: failure.message, object: toErrorObject(failure), headers: failureHeaders(failure) })

/** Responds to every failure. Any error other than a refusal is a bug, which is logged, and the client gets a bare 500. */
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
