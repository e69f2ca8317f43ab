/** The last step: the operation answers. */
import type { Step } from "./step.js"

export const handle: Step = (exchange) => {
  const later = exchange.route?.handler(exchange)
  return later === undefined ? "answered" : later.then(() => "answered" as const)
}
