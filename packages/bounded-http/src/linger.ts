/**
 * The end of a connection. Further input is read and dropped for a while, because the kernel would otherwise reset the connection,
 * and the client might lose the last response (RFC 9112 §9.6).
 */
import type { Socket } from "node:net"
import { dropReads } from "./node.js"
import type { Tick } from "./tick.js"

/**
 * How often to check whether the client has sent something, in ms, and after how many checks in silence its connection closes. While
 * the event loop stands still, at most one check passes, so that bytes which have arrived meanwhile are read first.
 */
const checkMillis = 250
const silentChecks = 4

/** The cost of reading dropped bytes, in requests. */
const requestsOfDrop = 64

export class Linger {
  readonly #socket: Socket
  readonly #tick: Tick
  #timer: NodeJS.Timeout | undefined
  #isDropping = false

  constructor(socket: Socket, tick: Tick) {
    this.#socket = socket
    this.#tick = tick
  }

  get hasBegun(): boolean {
    return this.#timer !== undefined
  }

  get isDropping(): boolean {
    return this.#isDropping
  }

  /** Waits until the client closes too, is silent for a while, or has been sending for too long. */
  begin(maximumMillis: number): void {
    const socket = this.#socket
    let bytes = socket.bytesRead
    let silent = 0
    let left = Math.max(silentChecks, maximumMillis / checkMillis)
    this.#timer = setInterval(() => {
      silent = socket.bytesRead === bytes ? silent + 1 : 0
      bytes = socket.bytesRead
      left -= 1
      if (silent === silentChecks || left <= 0) socket.destroy()
    }, checkMillis).unref()
  }

  /** Reads and drops input, without the parser, which would keep it. Other connections come first after each read. */
  drop(): void {
    if (this.#isDropping) return
    this.#isDropping = true
    const readAgain = (): void => {
      if (this.#socket.destroyed) return
      if (this.#tick.take(requestsOfDrop)) readOn()
      else this.#tick.later(readAgain)
    }
    const readOn = dropReads(this.#socket, () => this.#tick.later(readAgain))
    if (!this.#socket.isPaused()) return
    this.#socket.resume()
    readOn()
  }

  /** Called when the connection has closed. */
  stop(): void {
    clearInterval(this.#timer)
  }
}
