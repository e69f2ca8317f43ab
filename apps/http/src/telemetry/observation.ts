/** Everything that watches one process: log, metrics, traces. What is turned off is not there at all. */
import { Option } from "effect"
import type { Middleware } from "koa"
import type { Logger } from "pino"
import type { Config } from "../config.js"
import { requestLog } from "./logger.js"
import { type Metrics, startMetrics } from "./metrics.js"
import { observeRequests } from "./observe-requests.js"
import type { StoreObserver } from "./store-observer.js"
import { startTraces } from "./traces.js"

export interface Observation {
  readonly logger: Logger
  readonly metrics: Metrics | undefined
  /** In front of everything that handles a request; none if nobody watches. */
  readonly middleware: ReadonlyArray<Middleware>
  readonly store: ReadonlyArray<StoreObserver>
}

const present = <A>(...values: ReadonlyArray<A | undefined>): ReadonlyArray<A> => values.filter((value) => value !== undefined)

export const startObservation = async ({ adminPort }: Config, logger: Logger): Promise<Observation> => {
  const metrics = Option.isSome(adminPort) ? await startMetrics() : undefined
  const traces = await startTraces()
  const observers = [...requestLog(logger), ...present(metrics?.requests)]
  return {
    logger,
    metrics,
    // The span first: the log tells its trace.
    middleware: present(traces?.requests, observers.length > 0 ? observeRequests(observers) : undefined),
    store: present(metrics?.store, traces?.store),
  }
}
