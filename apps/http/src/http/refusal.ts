/** The responses to messages that the server refuses before they are requests: an Error object, observed as any other response. */
import { clientOf, type HeaderList, MessageRefused, type Refusal, type Refuse } from "@petstore/bounded-http"
import type { RequestObserver } from "../telemetry/request-observer.js"
import { type HttpError, httpError } from "./error-response.js"
import { requestIdFrom, traceHeaders, traceIdOf } from "./request/request-id.js"
import { decodeTarget } from "./request/target.js"
import { jsonType, requestIdHeader } from "./response/send.js"

/** The headers of every response to a request with this `Origin` header. */
export type OriginHeaders = (origin: string | undefined) => HeaderList

export const overloaded = httpError(
  "service_overloaded",
  "The service holds as many requests and responses as it has memory for. Try again in 1 s.",
  ["Retry-After", "1"],
)

const errorOf = ({ code, message, headers }: Refusal): HttpError => httpError(code, message, headers)

/** Why a body cannot be read: the server's reason, or that the client has left. */
export const bodyFailure = (error: Error): HttpError =>
  error instanceof MessageRefused
    ? errorOf(error.refusal)
    : httpError("malformed_request", "The request ended before its body was complete.")

/** Reports a refusal to the request observers and returns its response. An unreadable message has no request. */
export const refuseWith =
  (observers: ReadonlyArray<RequestObserver>, originHeaders: OriginHeaders): Refuse =>
  (refusal, { headers, method = "", url = "", socket }) => {
    const { object, text: body, headers: own } = errorOf(refusal)
    const requestId = requestIdFrom(headers["x-request-id"])
    const bodyBytes = Buffer.byteLength(body)
    const traceId = traceIdOf(headers["traceparent"])
    const path = decodeTarget(url)?.path ?? ""
    for (const { started, ended } of observers) {
      started()
      ended({
        requestId,
        apiKey: undefined,
        operation: "other",
        isDeprecated: false,
        method,
        path,
        status: object.status,
        durationMillis: 0,
        bodyBytes,
        isAnswered: true,
        traceId,
        clientAddress: clientOf({ socket }).address,
      })
    }
    return {
      body,
      headers: [
        requestIdHeader,
        requestId,
        ...jsonType,
        ...own,
        ...originHeaders(headers.origin),
        ...traceHeaders(headers["traceparent"]),
      ],
    }
  }
