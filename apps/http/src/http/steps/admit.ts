/** Refuses a request that would push the process over its memory budget, before the request runs (specification 7.12). */
import { getOrInsert } from "../../telemetry/get-or-insert.js"
import type { Exchange, Route } from "../exchange.js"
import { type Memory, ResponseSize } from "../memory.js"
import { overloaded } from "../refusal.js"
import type { Step } from "../service-koa.js"
import { ServiceResponse } from "../service-response.js"

/** These operations must work even in an overloaded process. */
const healthOperations: ReadonlySet<string> = new Set(["healthz", "readyz"])

/** A body is held twice: as bytes and as decoded text. */
const bodyCopies = 2

/** Makes room for a response once its length is known. Refuses the request if other requests have taken the room meanwhile. */
export const makeRoom =
  (memory: Memory) =>
  ({ res, apiKey }: Exchange, bytes?: number): void => {
    if (!(res instanceof ServiceResponse) || res.size === undefined) return
    if (bytes !== undefined) res.size.learn(bytes)
    const moreBytes = (bytes ?? res.size.bytes) - res.heldBytes
    if (moreBytes <= 0) return
    if (!memory.hasRoomFor(moreBytes, apiKey !== undefined)) throw overloaded
    res.owner?.holds(res, res.heldBytes + moreBytes)
  }

export const admit = (memory: Memory, bodyLimitBytes: number): Step => {
  const sizes = new WeakMap<Route, ResponseSize>()
  const bodyBytes = ({ req: { headers } }: Exchange): number => {
    const length = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : bodyLimitBytes
    return length > bodyLimitBytes ? 0 : length * bodyCopies
  }
  return (exchange, next) => {
    const { route, res, apiKey } = exchange
    if (route === undefined || healthOperations.has(route.id) || !(res instanceof ServiceResponse)) return next()
    const size = getOrInsert(sizes, route, () => new ResponseSize())
    const bytes = size.bytes + bodyBytes(exchange)
    if (!memory.hasRoomFor(bytes, apiKey !== undefined)) throw overloaded
    res.size = size
    res.owner?.holds(res, bytes)
    return next()
  }
}
