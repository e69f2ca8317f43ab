/**
 * The primary accepts every connection and hands it to a worker that is free. It keeps its own end open until the worker
 * confirms, so a connection on its way to a worker that dies goes to another one. The order to stop arrives after the last
 * connection, so a stopping worker loses none.
 */
import type { ChildProcess } from "node:child_process"
import { createServer, type Server, type Socket } from "node:net"
import { type PrimaryMessage, type WorkerMessage, workerMessage } from "./messages.js"

/** How often a worker is asked about connections that it has not acknowledged, in ms. */
const askMillis = 500

export interface Handover {
  /** Accepts the connections. It does not listen yet. */
  readonly server: Server
  readonly add: (worker: ChildProcess) => void
  /** The worker gets no more connections. Later messages to it arrive after its last connection. */
  readonly remove: (worker: ChildProcess) => void
  /** Stops accepting, and hands out waiting connections. */
  readonly close: () => void
}

/**
 * @param waitingMaximum  the maximum number of connections that wait for a worker
 * @param onDrop called for each connection that was closed because more waited
 */
export const handOver = (waitingMaximum: number, onDrop: () => void): Handover => {
  const waiting = new Set<Socket>()
  const members = new Set<ChildProcess>()
  /** Members that have acknowledged all their connections, the longest idle first. */
  const free = new Set<ChildProcess>()
  /** The unacknowledged connections of each worker, member or not, by number and in the order of sending. */
  const onTheirWay = new Map<ChildProcess, Map<number, Socket>>()
  const asked = new Set<ChildProcess>()
  let latest = 0
  let isClosed = false

  const remove = (worker: ChildProcess): void => {
    members.delete(worker)
    free.delete(worker)
  }

  const say = (worker: ChildProcess, message: PrimaryMessage, socket?: Socket): void => {
    // An error means that the worker has ended; its `exit` hands its connections to others.
    worker.send(message, socket, { keepOpen: true }, (error) => error !== null && remove(worker))
  }

  const give = (worker: ChildProcess, socket: Socket): void => {
    free.delete(worker)
    latest += 1
    onTheirWay.get(worker)?.set(latest, socket)
    say(worker, { petstore: "connection", number: latest }, socket)
  }

  const place = (socket: Socket): void => {
    const [worker] = free
    if (worker !== undefined) give(worker, socket)
    else if (isClosed && members.size === 0) socket.destroy()
    else waiting.add(socket)
  }

  const offer = (worker: ChildProcess): void => {
    if (!members.has(worker) || onTheirWay.get(worker)?.size !== 0) return
    const [socket] = waiting
    if (socket === undefined) {
      free.add(worker)
      return
    }
    waiting.delete(socket)
    give(worker, socket)
  }

  /** Hands out again the unacknowledged connections of a worker, up to a number. */
  const takeBack = (worker: ChildProcess, upTo: number): void => {
    const sockets = onTheirWay.get(worker)
    const lost = [...(sockets ?? [])].filter(([number]) => number <= upTo)
    for (const [number] of lost) sockets?.delete(number)
    for (const [, socket] of lost) place(socket)
  }

  const takeBackAll = (worker: ChildProcess): void => {
    // Its last acknowledgements are read first. `disconnect` is not always emitted.
    if (worker.connected) {
      setImmediate(takeBackAll, worker)
      return
    }
    remove(worker)
    takeBack(worker, latest)
    onTheirWay.delete(worker)
    asked.delete(worker)
  }

  const hear = (worker: ChildProcess, message: WorkerMessage | undefined): void => {
    if (message?.petstore === "taken") {
      onTheirWay.get(worker)?.get(message.number)?.destroy()
      onTheirWay.get(worker)?.delete(message.number)
    } else if (message?.petstore === "asked") {
      asked.delete(worker)
      // A worker without free file descriptors gets a message without its connection, which Node does not emit.
      takeBack(worker, message.upTo)
    } else return
    offer(worker)
  }

  const asking = setInterval(() => {
    for (const [worker, sockets] of onTheirWay) {
      if (sockets.size === 0 || asked.has(worker)) continue
      asked.add(worker)
      say(worker, { petstore: "ask", upTo: latest })
    }
  }, askMillis).unref()

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // A reset by the client: the worker that gets the connection handles it.
    socket.on("error", () => {})
    place(socket)
  })
  server.maxConnections = waitingMaximum
  server.on("drop", onDrop)

  return {
    server,

    add: (worker) => {
      members.add(worker)
      onTheirWay.set(worker, new Map())
      worker.on("message", (value) => hear(worker, workerMessage(value)))
      worker.once("exit", () => takeBackAll(worker))
      offer(worker)
    },

    remove,

    close: () => {
      isClosed = true
      server.close()
      clearInterval(asking)
      const last = [...members]
      const left = [...waiting]
      waiting.clear()
      for (const [turn, socket] of left.entries()) {
        const worker = last[turn % last.length]
        if (worker === undefined) socket.destroy()
        else give(worker, socket)
      }
    },
  }
}
