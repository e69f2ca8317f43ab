/** Everything that observes one process: log, metrics and traces. The service does not load disabled parts. */
import { Option } from "effect"
import type { Config } from "../config.js"
import { createLogger } from "./logger.js"
import { startMetrics } from "./metrics.js"
import { startTraces } from "./traces.js"

export type Telemetry = Awaited<ReturnType<typeof startTelemetry>>

const present = <A>(...values: ReadonlyArray<A | undefined>): ReadonlyArray<A> => values.filter((value) => value !== undefined)

export const startTelemetry = async (config: Config) => {
  const { logger, requests } = createLogger(config)
  const metrics = Option.isSome(config.adminPort) ? await startMetrics() : undefined
  const traces = await startTraces()
  return {
    logger,
    metrics,
    /** Empty if the request log, metrics and traces are all off. */
    requests: present(requests, metrics?.requests, traces?.requests),
    tracing: traces?.middleware,
    store: present(metrics?.store, traces?.store),
  }
}
