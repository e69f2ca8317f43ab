/** Observes each request with one listener for all observers. `refusal.ts` reports the requests that do not reach this step. */
import type { RequestObserver } from "../../telemetry/request-observer.js"
import type { Step } from "../service-koa.js"

export const observe =
  (observers: ReadonlyArray<RequestObserver>): Step =>
  (exchange, next) => {
    for (const { started } of observers) started()
    exchange.res.on("close", () => {
      exchange.durationMillis = performance.now() - exchange.startedAtMillis
      exchange.isAnswered = exchange.res.writableFinished
      for (const { ended } of observers) ended(exchange)
    })
    return next()
  }
