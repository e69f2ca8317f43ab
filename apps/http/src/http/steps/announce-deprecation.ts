/** Says on every answer of a deprecated operation, failures included, that it will go (specification 4.3.9), and counts who still calls it. */
import type { CountDeprecatedCall } from "../../telemetry/deprecated-calls.js"
import type { Step } from "./step.js"

export const announceDeprecation =
  (count: CountDeprecatedCall): Step =>
  (exchange) => {
    const { route, apiKey } = exchange
    if (route?.isDeprecated === true) {
      exchange.addHeaders(route.headers)
      if (apiKey !== undefined) count(route.id, apiKey)
    }
    return "pass"
  }
