/**
 * Limits the requests that start in a tick of the event loop beyond one for each connection, so that other connections do not
 * wait for long.
 */

import type { Socket } from "node:net"

/** In requests. */
const workATick = 256

export class Tick {
  #left = workATick

  /** Whether work that costs as much as this many requests may start now. */
  take(requests: number): boolean {
    if (this.#left <= 0) return false
    if (this.#left === workATick) {
      setImmediate(() => {
        this.#left = workATick
      })
    }
    this.#left -= requests
    return true
  }
}

/** The cost of reading dropped bytes, in requests. */
const requestsOfDrop = 8

/** Reads and drops input, one read of 64 KiB at a time: the reads of thousands of connections in a tick would fill the memory. */
export const dropInput = (socket: Socket, tick: Tick): void => {
  const readAgain = (): void => {
    if (tick.take(requestsOfDrop)) socket.resume()
    else if (!socket.destroyed) setImmediate(readAgain)
  }
  socket.removeAllListeners("data").on("data", () => {
    socket.pause()
    setImmediate(readAgain)
  })
}
