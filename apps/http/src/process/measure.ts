/** The primary asks every worker for its metrics. */
import type { ChildProcess } from "node:child_process"
import { on } from "node:events"
import type { MetricsSnapshot } from "../telemetry/metrics.js"
import { type PrimaryMessage, workerMessage } from "./messages.js"
import type { Supervision } from "./primary.js"

/** How long a worker may take, in ms. One that is stuck is left out: its absence is a symptom of its own. */
const timeoutMillis = 2_000

const ask = async (worker: ChildProcess): Promise<MetricsSnapshot | undefined> => {
  const messages = on(worker, "message", { signal: AbortSignal.timeout(timeoutMillis), close: ["exit"] })
  const question: PrimaryMessage = { petstore: "measure" }
  worker.send(question, () => {})
  try {
    for await (const [value] of messages) {
      const message = workerMessage(value)
      if (message?.petstore === "measured") return message.snapshot
    }
  } catch {
    // Time is up.
  }
  return undefined
}

/** The metrics of every worker that answers, by the number of its slot. */
export const askWorkers = async (supervision: Supervision) => {
  const answers = await Promise.all(
    supervision.serving().map(async ({ slot, worker }) => ({ worker: String(slot), snapshot: await ask(worker) })),
  )
  return answers.flatMap(({ worker, snapshot }) => (snapshot === undefined ? [] : [{ worker, snapshot }]))
}
