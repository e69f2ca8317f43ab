/** Limits how many requests start in one tick, so that no connection waits long. A connection's first request does not count. */
import type { Socket } from "node:net"

/** The work per tick, in requests. A tick that does more work leaves less for the next ticks. */
const workATick = 256

/** The work in a tick that has accepted a connection: less, because Node accepts one connection per tick and others may wait. */
const workWhileAccepting = 8

export class Tick {
  #left = workATick
  #gain = workATick
  #isScheduled = false
  /** In order of arrival. */
  readonly #turns = new Set<() => void>()

  /** Returns whether work may start now. If so, takes its cost, in requests, from this tick. */
  take(requests: number): boolean {
    if (this.#left <= 0) return false
    this.#left -= requests
    this.#schedule()
    return true
  }

  /** Counts work that has been done. Returns whether more work may start now. */
  spend(requests: number): boolean {
    this.#left -= requests
    this.#schedule()
    return this.#left > 0
  }

  /** Calls back once, in the next tick or later, so that other connections come first, even if one client has sent a lot. */
  later(turn: () => void): void {
    this.#turns.add(turn)
    this.#schedule()
  }

  cancel(turn: () => void): void {
    this.#turns.delete(turn)
  }

  /** Called when a connection has been accepted in this tick. */
  accepted(): void {
    this.#gain = workWhileAccepting
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#begin())
  }

  #begin(): void {
    this.#isScheduled = false
    this.#left = Math.min(workATick, this.#left + this.#gain)
    this.#gain = workATick
    let turns = this.#turns.size
    for (const turn of this.#turns) {
      // Callbacks that wait again are called in the next tick.
      if (turns === 0 || this.#left <= 0) break
      turns -= 1
      this.#turns.delete(turn)
      this.#left -= 1
      turn()
    }
    if (this.#turns.size > 0 || this.#left < workATick) this.#schedule()
  }
}

/** Members of Node's sockets that Node's types omit. */
export interface HandledSocket extends Socket {
  readonly _handle?: {
    reading: boolean
    readonly readStop: () => void
    /** Reads into this buffer, and passes no data to JavaScript. */
    readonly useUserBuffer?: (bytes: Uint8Array) => void
  } | null
  readonly _readableState: { highWaterMark: number }
}

/** Pauses the stream, and stops Node, which is still reading if the stream was paused between a `resume` and its event. */
export const stopReading = (socket: HandledSocket): void => {
  socket.pause()
  if (socket._handle?.reading !== true) return
  socket._handle.reading = false
  socket._handle.readStop()
}

/** The cost of reading dropped bytes, in requests. */
const requestsOfDrop = 64

/**
 * Node reads all dropped input into this buffer, up to 64 KiB at a time. With a new buffer for each read, thousands of
 * connections would create garbage faster than it is collected.
 */
const dropped = new Uint8Array(65_536)

const nothing = Buffer.alloc(0)

/** Reads and drops input. Other connections come first after each read. */
export const dropInput = (socket: HandledSocket, tick: Tick): void => {
  const readAgain = (): void => {
    if (socket.destroyed) return
    if (tick.take(requestsOfDrop)) socket.resume()
    else tick.later(readAgain)
  }
  // A paused stream still reads up to its high-water mark. Without Node's parser, a read in progress also continues.
  socket._readableState.highWaterMark = 0
  // Node's parser detaches from the socket when a new `data` listener is added.
  socket.removeAllListeners("data").on("data", () => {})
  socket._handle?.useUserBuffer?.(dropped)
  const { push } = socket
  socket.push = (chunk) => {
    if (chunk === null) return push.call(socket, null)
    stopReading(socket)
    tick.later(readAgain)
    return push.call(socket, nothing)
  }
}
