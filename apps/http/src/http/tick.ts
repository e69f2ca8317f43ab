/**
 * Limits the requests that start in a tick of the event loop beyond one for each connection, so that other connections do not
 * wait for long.
 */

import type { Socket } from "node:net"

/** In requests. A tick that costs more shortens the next ones. */
const workATick = 256

/** The same for a tick that has accepted a connection: Node accepts one a tick, and others may wait. */
const workWhileAccepting = 8

export class Tick {
  #left = workATick
  #gain = workATick
  #isScheduled = false
  /** In order of arrival. */
  readonly #turns = new Set<() => void>()

  /** Whether work that costs as much as this many requests may start now. */
  take(requests: number): boolean {
    if (this.#left <= 0) return false
    this.#left -= requests
    this.#schedule()
    return true
  }

  /** Calls back once, in the next tick or later, so that other connections come first, even if one client has sent a lot. */
  later(turn: () => void): void {
    this.#turns.add(turn)
    this.#schedule()
  }

  cancel(turn: () => void): void {
    this.#turns.delete(turn)
  }

  /** A connection was accepted in this tick. */
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
      // Those that wait again are called in the next tick.
      if (turns === 0 || this.#left <= 0) break
      turns -= 1
      this.#turns.delete(turn)
      this.#left -= 1
      turn()
    }
    if (this.#turns.size > 0 || this.#left < workATick) this.#schedule()
  }
}

/** Node's own, which its types leave out. */
export interface HandledSocket extends Socket {
  readonly _handle?: { reading: boolean; readonly readStop: () => void } | null
  readonly _readableState: { highWaterMark: number }
}

/** Pauses, also if Node reads although the stream is paused: it was paused between a `resume` and its event. */
export const stopReading = (socket: HandledSocket): void => {
  socket.pause()
  if (socket._handle?.reading !== true) return
  socket._handle.reading = false
  socket._handle.readStop()
}

/** The cost of reading dropped bytes, in requests. */
const requestsOfDrop = 64

/** Reads and drops input, one read of 64 KiB at a time: the reads of thousands of connections in a tick would fill the memory. */
export const dropInput = (socket: HandledSocket, tick: Tick): void => {
  const readAgain = (): void => {
    if (socket.destroyed) return
    if (tick.take(requestsOfDrop)) socket.resume()
    else tick.later(readAgain)
  }
  // A paused stream reads ahead, and without Node's parser a read that has begun continues: each would keep 64 KiB.
  socket._readableState.highWaterMark = 0
  socket.removeAllListeners("data").on("data", () => {
    stopReading(socket)
    tick.later(readAgain)
  })
}
