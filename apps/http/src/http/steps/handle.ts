/**
 * The last step: the operation answers. A deprecated one says on every answer of its own, failures
 * included, that it will go (specification 4.3.9), and who still calls it is counted.
 */
import type { CountDeprecatedCall } from "../../telemetry/deprecated-calls.js"
import type { Step } from "./step.js"

export const handle =
  (countDeprecatedCall: CountDeprecatedCall): Step =>
  (exchange) => {
    const { route, apiKey } = exchange
    if (route?.isDeprecated === true) {
      exchange.addHeaders(route.headers)
      if (apiKey !== undefined) countDeprecatedCall(route.id, apiKey)
    }
    const later = route?.handler(exchange)
    return later === undefined ? "answered" : later.then(() => "answered" as const)
  }
