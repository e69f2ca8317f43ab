/**
 * The last step: the operation answers. A deprecated one says on every response of its own, failures
 * included, that it will go (specification 4.3.9), and its clients are counted.
 */
import type { CountDeprecatedCall } from "../../telemetry/deprecated-calls.js"
import type { Step } from "../service-koa.js"

export const handle =
  (countDeprecatedCall: CountDeprecatedCall): Step =>
  (exchange) => {
    const { route, apiKey } = exchange
    // From here on the operation answers, perhaps at the end of the tick.
    exchange.respond = false
    if (route?.isDeprecated === true) {
      exchange.addHeaders(route.headers)
      if (apiKey !== undefined) countDeprecatedCall(route.id, apiKey)
    }
    return route?.handler(exchange)
  }
