/** From a failure to an HTTP answer: here and nowhere else. What it says is the contract's of core. */
import {
  type ErrorCode,
  type ErrorObject,
  failureHeaders,
  makeErrorObject,
  type RequestFailure,
  toErrorObject,
} from "@petstore/core/contract"
import type { Logger } from "pino"
import type { Exchange, Handler, HeaderList } from "./exchange.js"
import { answerJson } from "./response/answer.js"

/** A failure as the client sees it. `cause` is for the log. */
export class HttpError extends Error {
  readonly object: ErrorObject
  readonly headers: HeaderList

  constructor(object: ErrorObject, options: ErrorOptions & { readonly headers?: HeaderList } = {}) {
    super(object.message, options)
    this.object = object
    this.headers = options.headers ?? []
  }
}

/** A failure of HTTP itself, which the domain does not know. */
export const httpError = (code: ErrorCode, message: string, headers: HeaderList = []): HttpError =>
  new HttpError(makeErrorObject(code, message), { headers })

/** Whoever has no good key is told the page of this service that says how to get one: origin-relative, as every address in an answer. */
const withKeyPage = ({ code, message }: ErrorObject): ErrorObject =>
  makeErrorObject(code, `${message} How to get a key: /docs#start`)

/** The answer to a failure of the domain, or to a credential that was not sent. */
export const toHttpError = (failure: RequestFailure): HttpError => {
  const object = toErrorObject(failure)
  return new HttpError(object.status === 401 ? withKeyPage(object) : object, {
    headers: failureHeaders(failure).flat(),
    ...(failure._tag === "StorageUnavailable" ? { cause: failure.cause } : {}),
  })
}

/** Whatever was thrown, as a failure. Anything but an `HttpError` is a defect: logged whole, answered with a bare 500. */
const toFailure = (thrown: unknown): HttpError =>
  thrown instanceof HttpError
    ? thrown
    : new HttpError(makeErrorObject("internal_error", "Unexpected failure."), { cause: thrown })

/** Does work for a request, now or later, and answers its failure. */
export type Attempt = (exchange: Exchange, work: Handler) => void

/** Answers every failure with its Error object, and logs those of the service. It never throws: nobody is left to answer. */
export const attempts = (logger: Pick<Logger, "error">): Attempt => {
  const fail = (exchange: Exchange, thrown: unknown): void => {
    const { object, headers, cause } = toFailure(thrown)
    const { requestId, res } = exchange
    if (object.status >= 500) logger.error({ requestId, err: cause }, object.message)
    try {
      answerJson(exchange, object.status, JSON.stringify(object), headers)
    } catch (err) {
      logger.error({ requestId, err }, "a failure could not be answered: the connection is closed")
      res.destroy()
    }
  }

  return (exchange, work) => {
    try {
      work(exchange)?.catch((thrown: unknown) => fail(exchange, thrown))
    } catch (thrown) {
      fail(exchange, thrown)
    }
  }
}
