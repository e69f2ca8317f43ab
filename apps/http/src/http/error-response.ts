/** Turns failures into HTTP responses. Only this module maps domain failures. Core's contract defines their content. */
import type { HeaderList } from "@petstore/bounded-http"
import { type ErrorCode, failureHeaders, makeErrorObject, type RequestFailure, toErrorObject } from "@petstore/core/contract"
import Koa from "koa"
import type { Logger } from "pino"
import { withKeyPage } from "../openapi/error-examples.js"
import { getOrInsert } from "../telemetry/get-or-insert.js"
import type { Exchange } from "./exchange.js"
import { sendJson } from "./response/send.js"
import { StacklessError } from "./stackless-error.js"
import type { unavailableLog } from "./unavailable-log.js"

/** An import would load all of `node:http`, even its WebSocket. */
const { STATUS_CODES } = process.getBuiltinModule("node:http")

/** An Error object from the contract or from third-party middleware, whose codes are not in the contract. */
export type AnyErrorObject = Record<"code" | "message", string> & { readonly status: number }

/** A failure as the client sees it. `cause` is for the log. */
export class HttpError extends StacklessError {
  readonly object: AnyErrorObject
  readonly headers: HeaderList
  #text: string | undefined

  constructor(object: AnyErrorObject, options: ErrorOptions & { readonly headers?: HeaderList } = {}) {
    super(object.message, options)
    this.object = object
    this.headers = options.headers ?? []
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.object)
    return this.#text
  }
}

/** A failure of HTTP itself, which is outside the domain. */
export const httpError = (code: ErrorCode, message: string, headers: HeaderList = []): HttpError =>
  new HttpError(makeErrorObject(code, message), { headers })

const newHttpError = (failure: RequestFailure): HttpError =>
  new HttpError(withKeyPage(toErrorObject(failure)), {
    headers: Object.entries(failureHeaders(failure)).flat(),
    ...(failure._tag === "StorageUnavailable" ? { cause: failure.cause } : {}),
  })

/** The responses to missing and rejected credentials, by message. There are few messages, so each response is created once. */
const unauthorized = new Map<string, HttpError>()

/** The response to a domain failure, or to a missing credential. */
export const toHttpError = (failure: RequestFailure): HttpError =>
  failure._tag === "CredentialMissing" || failure._tag === "CredentialRejected"
    ? getOrInsert(unauthorized, failure.message, () => newHttpError(failure))
    : newHttpError(failure)

/** A failure that Koa middleware throws for the client, as with `ctx.throw(403)`. Its code is derived from the status name. */
const ofMiddleware = (thrown: unknown): HttpError | undefined => {
  if (!(thrown instanceof Koa.HttpError) || !thrown.expose) return undefined
  const { status, message, headers = {} } = thrown
  const code = (STATUS_CODES[status] ?? "failure").toLowerCase().replaceAll(/\W+/g, "_")
  return new HttpError({ code, message, status }, { headers: Object.entries(headers).flat() })
}

/** Converts a thrown value to a failure. An unknown value is a defect: it is logged in full, and the client gets a bare 500. */
const toFailure = (thrown: unknown): HttpError =>
  thrown instanceof HttpError
    ? thrown
    : (ofMiddleware(thrown) ?? new HttpError(makeErrorObject("internal_error", "Unexpected failure."), { cause: thrown }))

/** Responds with the Error object, and logs the service's own failures. Never throws: an error here would crash the process. */
export const answerFailure = (
  logger: Pick<Logger, "error">,
  exchange: Exchange,
  thrown: unknown,
  logUnavailable: ReturnType<typeof unavailableLog> = (facts, message) => logger.error(facts, message),
): void => {
  const { object, text, headers, cause } = toFailure(thrown)
  const { requestId, res } = exchange
  // Overload refusals have no log line other than their request's.
  if (object.code === "storage_unavailable") logUnavailable({ requestId, err: cause }, object.message)
  else if (object.status >= 500 && object.code !== "service_overloaded") logger.error({ requestId, err: cause }, object.message)
  try {
    sendJson(exchange, object.status, text, headers)
  } catch (err) {
    logger.error({ requestId, err }, "could not send the response to a failure: the connection is closed")
    res.destroy()
  }
}
