/** Lets the primary query every worker for its metrics and its readiness. */
import type { ChildProcess } from "node:child_process"
import { on } from "node:events"
import { type HttpError, httpError } from "../http/error-response.js"
import { type PrimaryMessage, type WorkerMessage, workerMessage } from "./messages.js"
import type { Supervision } from "./primary.js"

/** How long a worker may take to reply, in ms. A stuck worker is left out, which makes the problem visible. */
const timeoutMillis = 2_000

type Reply<Kind> = Extract<WorkerMessage, { readonly petstore: Kind }>

const ask = async <Kind extends WorkerMessage["petstore"]>(worker: ChildProcess, question: PrimaryMessage, kind: Kind) => {
  const isReply = (message: WorkerMessage | undefined): message is Reply<Kind> => message?.petstore === kind
  const messages = on(worker, "message", { signal: AbortSignal.timeout(timeoutMillis), close: ["exit"] })
  worker.send(question, () => {})
  try {
    for await (const [value] of messages) {
      const message = workerMessage(value)
      if (isReply(message)) return message
    }
  } catch {
    // The wait has timed out.
  }
  return undefined
}

/** The metrics of every worker that responds, by slot number. */
export const askWorkers = async (supervision: Supervision) => {
  const replies = supervision.serving().map(async ({ slot, worker }) => {
    const reply = await ask(worker, { petstore: "measure" }, "measured")
    return reply === undefined ? [] : [{ worker: String(slot), snapshot: reply.snapshot }]
  })
  return (await Promise.all(replies)).flat()
}

/** Why no worker should get requests, or `undefined` if at least one is ready for them. */
export const findUnreadinessOf = async (supervision: Supervision | undefined): Promise<Pick<HttpError, "object"> | undefined> => {
  const workers = supervision?.serving() ?? []
  const replies = await Promise.all(workers.map(({ worker }) => ask(worker, { petstore: "check" }, "checked")))
  const failures = replies.filter((reply) => reply !== undefined).map(({ failure }) => failure)
  const [first] = failures
  if (first === undefined) return failures.length > 0 ? undefined : httpError("service_stopping", "No worker responds.")
  return failures.includes(undefined) ? undefined : { object: first }
}
