/** The last step: calls the operation. Announces a deprecation even on failures (specification 4.3.9), and counts the call. */
import { safeMethods } from "@petstore/bounded-http"
import type { CountDeprecatedCall } from "../../telemetry/deprecated-calls.js"
import type { Step } from "../service-koa.js"
import type { Waiting } from "../waiting.js"

export const handle =
  (countDeprecatedCall: CountDeprecatedCall, waiting: Waiting): Step =>
  (exchange) => {
    const { route, apiKey } = exchange
    // From here on the operation responds, perhaps at the end of the tick.
    exchange.respond = false
    if (route?.isDeprecated === true) {
      exchange.addHeaders(route.headers)
      if (apiKey !== undefined) countDeprecatedCall(route.id, apiKey)
    }
    if (waiting.hasWaiters() && !safeMethods.has(exchange.method)) exchange.res.once("finish", waiting.lookSoon)
    return route?.handler(exchange)
  }
