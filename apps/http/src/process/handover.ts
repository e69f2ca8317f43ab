/**
 * The primary accepts every connection and hands it to a worker that is free. It keeps its own end open until the worker
 * has said that it took it, so a connection on its way to a worker that dies goes to another one; and what is said to a
 * worker after its last connection arrives after it, so none goes to a worker that leaves.
 */
import type { ChildProcess } from "node:child_process"
import { createServer, type Server, type Socket } from "node:net"
import { type PrimaryMessage, workerMessage } from "./messages.js"

export interface Handover {
  /** Accepts the connections. It does not listen yet. */
  readonly server: Server
  /** The worker gets connections from now on. */
  readonly add: (worker: ChildProcess) => void
  /** The worker gets none any more. What is sent to it from now on arrives after the last one. */
  readonly remove: (worker: ChildProcess) => void
  /** Accepts no more, and hands out what waits. */
  readonly close: () => void
}

const message: PrimaryMessage = { petstore: "connection" }

/** @param waitingMaximum  most connections that wait for a worker. What comes beyond is closed */
export const handOver = (waitingMaximum: number): Handover => {
  const waiting = new Set<Socket>()
  const members = new Set<ChildProcess>()
  /** Members to which nothing is on its way, the one that waited longest first. */
  const free = new Set<ChildProcess>()
  /** What each worker has not acknowledged yet, in the order in which it was sent. */
  const onTheirWay = new Map<ChildProcess, Array<Socket>>()

  const remove = (worker: ChildProcess): void => {
    members.delete(worker)
    free.delete(worker)
  }

  const give = (worker: ChildProcess, socket: Socket): void => {
    free.delete(worker)
    onTheirWay.get(worker)?.push(socket)
    // An error means that the worker is gone: its end takes care of what it did not take.
    worker.send(message, socket, { keepOpen: true }, (error) => error !== null && remove(worker))
  }

  const offer = (worker: ChildProcess): void => {
    const [socket] = waiting
    if (socket === undefined) {
      free.add(worker)
      return
    }
    waiting.delete(socket)
    give(worker, socket)
  }

  const place = (socket: Socket): void => {
    const [worker] = free
    if (worker === undefined) waiting.add(socket)
    else give(worker, socket)
  }

  /** Takes back what a worker that has ended did not take. */
  const takeBack = (worker: ChildProcess): void => {
    // It may have said before its end what it took: that is read first. `disconnect` is not always emitted for it.
    if (worker.connected) {
      setImmediate(takeBack, worker)
      return
    }
    remove(worker)
    const lost = onTheirWay.get(worker) ?? []
    onTheirWay.delete(worker)
    for (const socket of lost) place(socket)
  }

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // A caller that resets: whoever answers it will see.
    socket.on("error", () => {})
    place(socket)
  })
  server.maxConnections = waitingMaximum

  return {
    server,

    add: (worker) => {
      members.add(worker)
      onTheirWay.set(worker, [])
      worker.on("message", (value) => {
        if (workerMessage(value)?.petstore !== "taken") return
        onTheirWay.get(worker)?.shift()?.destroy()
        if (members.has(worker) && onTheirWay.get(worker)?.length === 0) offer(worker)
      })
      worker.once("exit", () => takeBack(worker))
      offer(worker)
    },

    remove,

    close: () => {
      server.close()
      const last = [...members]
      let turn = 0
      for (const socket of waiting) {
        const worker = last[turn++ % last.length]
        if (worker === undefined) socket.destroy()
        else give(worker, socket)
      }
      waiting.clear()
    },
  }
}
