/** Refuses a request that would push the process over its budget of memory, before it runs (specification 7.12). */

import type { Exchange, Route } from "../exchange.js"
import { type Memory, ResponseSize } from "../memory.js"
import { overloaded } from "../refusal.js"
import type { Step } from "../service-koa.js"
import { ServiceResponse } from "../service-response.js"

/** The health operations, which must work above all in an overloaded process. */
export const healthOperations: ReadonlySet<string> = new Set(["healthz", "readyz"])

/** A body, and the text decoded from it. */
const bodyCopies = 2

export const admit = (memory: Memory, bodyLimitBytes: number): Step => {
  const sizes = new WeakMap<Route, ResponseSize>()
  const sizeOf = (route: Route): ResponseSize => {
    let size = sizes.get(route)
    if (size === undefined) {
      size = new ResponseSize()
      sizes.set(route, size)
    }
    return size
  }
  const bodyBytes = ({ req: { headers } }: Exchange): number => {
    const length = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : bodyLimitBytes
    return length > bodyLimitBytes ? 0 : length * bodyCopies
  }
  return (exchange, next) => {
    const { route, res, apiKey } = exchange
    if (route === undefined || healthOperations.has(route.id) || !(res instanceof ServiceResponse)) return next()
    const size = sizeOf(route)
    const bytes = size.bytes + bodyBytes(exchange)
    if (!memory.hasRoomFor(bytes, apiKey !== undefined)) throw overloaded
    res.size = size
    res.owner?.holds(res, bytes)
    return next()
  }
}
