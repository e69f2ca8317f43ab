/** The one place where requests are watched: one listener for each, whoever watches. Without watchers it is left out. */
import type { RequestObserver } from "../../telemetry/request-observer.js"
import type { Step } from "./step.js"

export const observe = (observers: ReadonlyArray<RequestObserver>): ReadonlyArray<Step> => {
  if (observers.length === 0) return []
  return [
    (exchange) => {
      for (const { started } of observers) started()
      exchange.res.on("close", () => {
        exchange.durationMillis = performance.now() - exchange.startedAtMillis
        exchange.isAnswered = exchange.res.writableFinished
        for (const { ended } of observers) ended(exchange)
      })
      return "pass"
    },
  ]
}
