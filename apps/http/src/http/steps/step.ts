/** What a step of the pipeline is: it checks a request in its turn, at once unless it has to wait. What it throws is answered as a failure. */
import type { Exchange } from "../exchange.js"

/** Whether the next step has its turn. A handler that answers later has answered as far as the pipeline is concerned. */
export type StepResult = "pass" | "answered"

export type Step = (exchange: Exchange) => StepResult | Promise<StepResult>
