/** Lets the primary query every worker for its metrics and its readiness. */
import type { ChildProcess } from "node:child_process"
import { on } from "node:events"
import { type HttpError, httpError } from "../http/error-response.js"
import { type PrimaryMessage, type WorkerMessage, workerMessage } from "./messages.js"
import type { Supervision } from "./primary.js"

/** How long a worker may take to reply, in ms. A stuck worker is left out, which makes the problem visible. */
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
    // The wait has timed out.
  }
  return undefined
}

/** The metrics of every worker that responds, by slot number. */
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

/** Why no worker should get requests, or `undefined` if at least one is ready for them. */
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
