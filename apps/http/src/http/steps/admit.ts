/** Refuses a request that would push the process over its memory budget, before the request runs (specification 7.12). */
import { ResponseSize, reserve } from "@petstore/bounded-http"
import { getOrInsert } from "../../telemetry/get-or-insert.js"
import type { Exchange, Route } from "../exchange.js"
import { overloaded } from "../refusal.js"
import type { Step } from "../service-koa.js"

/** These operations must work even in an overloaded process. */
const healthOperations: ReadonlySet<string> = new Set(["healthz", "readyz"])

/** The share of the budget for requests without an API key. The rest is for requests with a key. */
const keylessShare = 1 / 2

/** A body is held twice: as bytes and as decoded text. */
const bodyCopies = 2

const reserveBytes = ({ res, apiKey }: Exchange, bytes: number): void => {
  if (!reserve(res, bytes, apiKey === undefined ? keylessShare : 1)) throw overloaded
}

/** Reserves memory for a response: once its length is known, that length. Refuses the request if others have taken it meanwhile. */
export const reserveResponse = (exchange: Exchange, bytes?: number): void => {
  const { size } = exchange
  if (size === undefined) return
  if (bytes !== undefined) size.learn(bytes)
  reserveBytes(exchange, bytes ?? size.bytes)
}

export const admit = (bodyLimitBytes: number): Step => {
  const sizes = new WeakMap<Route, ResponseSize>()
  const bodyBytes = ({ req: { headers } }: Exchange): number => {
    const length = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : bodyLimitBytes
    return length > bodyLimitBytes ? 0 : length * bodyCopies
  }
  return (exchange, next) => {
    const { route } = exchange
    if (route === undefined || healthOperations.has(route.id)) return next()
    const size = getOrInsert(sizes, route, () => new ResponseSize())
    reserveBytes(exchange, size.bytes + bodyBytes(exchange))
    exchange.size = size
    return next()
  }
}
