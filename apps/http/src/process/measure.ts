/** The primary asks every worker for its metrics. */
import type { ChildProcess } from "node:child_process"
import type { MetricsSnapshot } from "../telemetry/metrics.js"
import { type PrimaryMessage, workerMessage } from "./messages.js"
import type { Supervision } from "./primary.js"

/** How long a worker may take, in ms. One that is stuck is left out: its absence is a symptom of its own. */
const timeoutMillis = 2_000

const ask = (worker: ChildProcess): Promise<MetricsSnapshot | undefined> =>
  new Promise((resolve) => {
    const end = (snapshot?: MetricsSnapshot): void => {
      clearTimeout(tooLate)
      worker.off("message", hear)
      worker.off("exit", leave)
      resolve(snapshot)
    }
    const hear = (value: unknown): void => {
      const message = workerMessage(value)
      if (message?.petstore === "measured") end(message.snapshot)
    }
    const leave = (): void => end()
    const tooLate = setTimeout(leave, timeoutMillis)
    worker.on("message", hear)
    worker.on("exit", leave)
    const message: PrimaryMessage = { petstore: "measure" }
    worker.send(message, () => {})
  })

/** The metrics of every worker that answers, by the number of its slot. */
export const askWorkers = async (supervision: Supervision) => {
  const answers = await Promise.all(
    supervision.serving().map(async ({ slot, worker }) => ({ worker: String(slot), snapshot: await ask(worker) })),
  )
  return answers.flatMap(({ worker, snapshot }) => (snapshot === undefined ? [] : [{ worker, snapshot }]))
}
