/** Everything that observes one process: log, metrics and traces. The service does not load disabled parts. */
import { Option } from "effect"
import type { Logger } from "pino"
import type { Config } from "../config.js"
import type { Log } from "./logger.js"
import { type Metrics, startMetrics } from "./metrics.js"
import type { RequestObserver } from "./request-observer.js"
import type { StoreObserver } from "./store-observer.js"
import { startTraces, type Traces } from "./traces.js"

export interface Telemetry {
  readonly logger: Logger
  readonly metrics: Metrics | undefined
  /** Empty if the request log, metrics and traces are all off. */
  readonly requests: ReadonlyArray<RequestObserver>
  readonly tracing: Traces["middleware"] | undefined
  readonly store: ReadonlyArray<StoreObserver>
}

const present = <A>(...values: ReadonlyArray<A | undefined>): ReadonlyArray<A> => values.filter((value) => value !== undefined)

export const startTelemetry = async ({ adminPort }: Config, { logger, requests }: Log): Promise<Telemetry> => {
  const metrics = Option.isSome(adminPort) ? await startMetrics() : undefined
  const traces = await startTraces()
  return {
    logger,
    metrics,
    requests: present(requests, metrics?.requests, traces?.requests),
    tracing: traces?.middleware,
    store: present(metrics?.store, traces?.store),
  }
}
