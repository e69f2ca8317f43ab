/** From a failure to an HTTP answer: here and nowhere else. Codes, statuses and sentences are core's; headers are ours. */
import { type ErrorCode, type ErrorObject, errorObject, type PetstoreError, toErrorObject } from "@petstore/core"
import type { Middleware } from "koa"
import type { Logger } from "pino"
import type { Exchange } from "./exchange.js"
import { answerJson, type HeaderList } from "./response/answer.js"

/** A failure as the client sees it. `cause` is for the log. */
export class HttpError extends Error {
  readonly object: ErrorObject
  readonly headers: HeaderList

  constructor(object: ErrorObject, options: ErrorOptions & { readonly headers?: HeaderList } = {}) {
    super(object.message, options)
    this.object = object
    this.headers = options.headers ?? []
  }

  /** The same failure, with further headers. */
  with(headers: HeaderList): HttpError {
    return new HttpError(this.object, { cause: this.cause, headers: [...this.headers, ...headers] })
  }
}

/** A failure of HTTP itself, which the domain does not know. */
export const httpError = (code: ErrorCode, message: string, headers: HeaderList = []): HttpError =>
  new HttpError(errorObject(code, message), { headers })

/** RFC 6750 §3: no error code when no credential was sent. */
const challenge = 'Bearer realm="petstore"'

/** The answer to a failure of the domain. */
export const toHttpError = (failure: PetstoreError): HttpError => {
  const object = toErrorObject(failure)
  switch (failure._tag) {
    case "CredentialMissing":
      return new HttpError(object, { headers: ["WWW-Authenticate", challenge] })
    case "CredentialRejected":
      return new HttpError(object, { headers: ["WWW-Authenticate", `${challenge}, error="invalid_token"`] })
    case "StorageUnavailable":
      return new HttpError(object, { headers: ["Retry-After", "1"], cause: failure.cause })
    default:
      return new HttpError(object)
  }
}

/** Whatever was thrown, as a failure. Anything but an `HttpError` is a defect: logged whole, answered with a bare 500. */
export const toFailure = (thrown: unknown): HttpError =>
  thrown instanceof HttpError ? thrown : new HttpError(errorObject("internal_error", "Unexpected failure."), { cause: thrown })

/** Answers a request that failed. */
export type AnswerFailure = (exchange: Exchange, thrown: unknown) => void

/** Answers every failure with its Error object, and logs those of the service. */
export const answerFailures =
  (logger: Logger): AnswerFailure =>
  (exchange, thrown) => {
    const { object, headers, cause } = toFailure(thrown)
    if (object.status >= 500) logger.error({ requestId: exchange.state.requestId, err: cause }, object.message)
    answerJson(exchange, object.status, JSON.stringify(object), headers)
  }

/** Answers what fails in whatever comes after it. */
export const answerErrors =
  (answerFailure: AnswerFailure): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (thrown) {
      answerFailure(ctx, thrown)
    }
  }
