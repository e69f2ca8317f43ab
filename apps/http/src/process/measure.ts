/** The primary asks every worker for its metrics, or whether it is ready. */
import type { ChildProcess } from "node:child_process"
import { on } from "node:events"
import { type HttpError, httpError } from "../http/error-response.js"
import { type PrimaryMessage, type WorkerMessage, workerMessage } from "./messages.js"
import type { Supervision } from "./primary.js"

/** How long a worker may take, in ms. A stuck worker is left out, which shows the problem. */
const timeoutMillis = 2_000

const ask = async <A>(
  worker: ChildProcess,
  question: PrimaryMessage,
  answerIn: (message: WorkerMessage) => A | undefined,
): Promise<A | undefined> => {
  const messages = on(worker, "message", { signal: AbortSignal.timeout(timeoutMillis), close: ["exit"] })
  worker.send(question, () => {})
  try {
    for await (const [value] of messages) {
      const message = workerMessage(value)
      const response = message && answerIn(message)
      if (response !== undefined) return response
    }
  } catch {
    // The timeout.
  }
  return undefined
}

/** The metrics of every worker that responds, by the number of its slot. */
export const askWorkers = async (supervision: Supervision) => {
  const responses = await Promise.all(
    supervision.serving().map(async ({ slot, worker }) => ({
      worker: String(slot),
      snapshot: await ask(worker, { petstore: "measure" }, (message) =>
        message.petstore === "measured" ? message.snapshot : undefined,
      ),
    })),
  )
  return responses.flatMap(({ worker, snapshot }) => (snapshot === undefined ? [] : [{ worker, snapshot }]))
}

/** Why no worker should get requests; absent if one should. */
export const findUnreadinessOf = async (supervision: Supervision | undefined): Promise<Pick<HttpError, "object"> | undefined> => {
  const responses = await Promise.all(
    (supervision?.serving() ?? []).map(({ worker }) =>
      ask(worker, { petstore: "check" }, (message) => (message.petstore === "checked" ? message : undefined)),
    ),
  )
  const failures = responses.flatMap((response) => (response === undefined ? [] : [response.failure]))
  const [first] = failures
  if (first === undefined) return failures.length > 0 ? undefined : httpError("service_stopping", "No worker responds.")
  return failures.includes(undefined) ? undefined : { object: first }
}
