/** Creates a worker process, and closes the connection that a killed worker has not confirmed. */
import cluster, { type Worker } from "node:cluster"
import { isSea } from "node:sea"

/** A connection in transfer, as node:cluster gives it to `send`. */
interface Transferred {
  readonly close: () => void
}

/**
 * Node hands a worker one connection at a time, and keeps its own copy open until the worker has confirmed. If the worker is killed
 * before, Node forgets the copy, and the client would wait for ever (decision 0051).
 */
const closeUnconfirmed = ({ process: child }: Worker): void => {
  const { send } = child
  let last: Transferred | undefined
  Object.assign(child, {
    send: (message: { readonly act?: string }, handle?: Transferred, ...others: ReadonlyArray<unknown>): boolean => {
      if (message.act === "newconn") last = handle
      return Reflect.apply(send, child, [message, handle, ...others])
    },
  })
  // A worker that stops in order has confirmed its connections, or returned them for another worker. Closing twice has no effect.
  child.once("exit", (code) => code !== 0 && last?.close())
}

export const fork = (environment: NodeJS.ProcessEnv): Worker => {
  cluster.setupPrimary(isSea() ? { exec: "serve", args: [], execArgv: [] } : { args: ["serve"] })
  const worker = cluster.fork(environment)
  closeUnconfirmed(worker)
  return worker
}
