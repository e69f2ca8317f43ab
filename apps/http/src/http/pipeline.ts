/** The way of every request, from the first step to its answer. */
import type { Config } from "../config.js"
import type { CountDeprecatedCall } from "../telemetry/deprecated-calls.js"
import type { RequestObserver } from "../telemetry/request-observer.js"
import type { Attempt } from "./error-response.js"
import type { Exchange, Handler } from "./exchange.js"
import { type Authenticator, authenticate } from "./steps/authenticate.js"
import { cors } from "./steps/cors.js"
import { handle } from "./steps/handle.js"
import { identify } from "./steps/identify.js"
import { observe } from "./steps/observe.js"
import { limitRate, type RateLimiter } from "./steps/rate-limit.js"
import { requireRoute } from "./steps/require-route.js"
import type { Step, StepResult } from "./steps/step.js"

export interface PipelineOptions extends Pick<Config, "corsOrigins"> {
  readonly attempt: Attempt
  /** Whoever watches requests. */
  readonly observers: ReadonlyArray<RequestObserver>
  readonly authenticator: Authenticator
  /** Where the requests of each key are counted, if they are limited. */
  readonly rateLimiter: RateLimiter | undefined
  readonly countDeprecatedCall: CountDeprecatedCall
}

/** Answers a request. */
export type Pipeline = (exchange: Exchange) => void

/** The order of checks (specification, section 10), stated once. What is turned off is not there at all. */
const stepsOf = (options: PipelineOptions): ReadonlyArray<Step> => [
  identify,
  ...observe(options.observers),
  ...cors(options.corsOrigins),
  authenticate(options.authenticator),
  ...limitRate(options.rateLimiter),
  requireRoute,
  handle(options.countDeprecatedCall),
]

export const createPipeline = (options: PipelineOptions): Pipeline => {
  const steps = stepsOf(options)

  /** Takes the steps from one on, in one go until one has to wait. */
  const proceed = (exchange: Exchange, from: number): ReturnType<Handler> => {
    for (let at = from; at < steps.length; at += 1) {
      const result = steps[at]?.(exchange)
      if (result instanceof Promise) {
        return result.then((late: StepResult) => (late === "answered" ? undefined : proceed(exchange, at + 1)))
      }
      if (result === "answered") return undefined
    }
    return undefined
  }
  const begin = (exchange: Exchange) => proceed(exchange, 0)

  return (exchange) => options.attempt(exchange, begin)
}
