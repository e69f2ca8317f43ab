/**
 * The primary accepts every connection and hands it to a free worker. It keeps its own end open until the worker confirms, so if
 * a worker dies first, another worker gets the connection. A stopping worker loses no connection, because the order to stop
 * arrives after its last connection.
 */
import type { ChildProcess } from "node:child_process"
import { createServer, type Socket } from "node:net"
import { type PrimaryMessage, type WorkerMessage, workerMessage } from "./messages.js"

/** How often to ask a worker about connections that it has not acknowledged, in ms. */
const askMillis = 500

export type Handover = ReturnType<typeof handOver>

/**
 * @param waitingMaximum  the maximum number of connections that wait for a worker
 * @param onDrop          called for each connection that was closed because too many were waiting
 */
export const handOver = (waitingMaximum: number, onDrop: () => void) => {
  const waiting = new Set<Socket>()
  const members = new Set<ChildProcess>()
  /** Workers that may get a connection and have acknowledged all earlier ones, longest idle first. */
  const free = new Set<ChildProcess>()
  /** Each worker's unacknowledged connections, by number, in the order of sending. May include stopping workers. */
  const onTheirWay = new Map<ChildProcess, Map<number, Socket>>()
  const asked = new Set<ChildProcess>()
  let latest = 0
  let isClosed = false

  const remove = (worker: ChildProcess): void => {
    members.delete(worker)
    free.delete(worker)
  }

  const say = (worker: ChildProcess, message: PrimaryMessage, socket?: Socket): void => {
    // An error means that the worker has exited. Its `exit` event hands its connections to other workers.
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

  /** Hands out a worker's unacknowledged connections again, up to the given number. */
  const takeBack = (worker: ChildProcess, upTo: number): void => {
    const sockets = onTheirWay.get(worker)
    const lost = [...(sockets ?? [])].filter(([number]) => number <= upTo)
    for (const [number] of lost) sockets?.delete(number)
    for (const [, socket] of lost) place(socket)
  }

  const takeBackAll = (worker: ChildProcess): void => {
    // Waits until the worker's last acknowledgements have been read. Node does not always emit `disconnect`.
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
      // If a worker has no free file descriptors, a message arrives without its connection, and Node drops the message.
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
    // The client has reset the connection. The worker that gets the connection handles this.
    socket.on("error", () => {})
    place(socket)
  })
  server.maxConnections = waitingMaximum
  server.on("drop", onDrop)

  return {
    /** Accepts the connections. It is not listening yet. */
    server,

    add: (worker: ChildProcess): void => {
      members.add(worker)
      onTheirWay.set(worker, new Map())
      worker.on("message", (value) => hear(worker, workerMessage(value)))
      worker.once("exit", () => takeBackAll(worker))
      offer(worker)
    },

    /** Stops giving connections to the worker. Later messages to the worker arrive after its last connection. */
    remove,

    /** Stops accepting, and hands out waiting connections. */
    close: (): void => {
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
