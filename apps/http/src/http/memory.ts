/**
 * What the requests and responses of a process hold, in bytes of memory, and which request is refused because of it.
 *
 * One number: each connection adds what it holds, parsed, waiting, running or unread, and takes it off again.
 */

/** What part of the budget requests without an API key may fill: the rest is left to those with one. */
const keylessShare = 1 / 2

/** What part of a limit becomes free when connections are closed because a request was refused. */
const freedShare = 1 / 4

/** No request is expected to hold a larger part of a limit: else one of them alone could never run. */
const largestShare = 1 / 8

/** How fast an operation forgets a long response: by what part of the difference, for each shorter one. */
const forgetting = 1 / 16

/** How long the responses of an operation are expected to be: as the longest of late. */
export class ResponseSize {
  bytes = 0

  learn(bytes: number): void {
    this.bytes = bytes > this.bytes ? bytes : this.bytes + (bytes - this.bytes) * forgetting
  }
}

export class Memory {
  bytes = 0
  readonly budgetBytes: number
  #refusedAtBytes = 0

  constructor(budgetBytes: number) {
    this.budgetBytes = budgetBytes
  }

  get isOver(): boolean {
    return this.bytes > this.budgetBytes
  }

  /** Whether a request may run that is expected to hold so many bytes. */
  hasRoomFor(bytes: number, hasKey: boolean): boolean {
    const limitBytes = hasKey ? this.budgetBytes : this.budgetBytes * keylessShare
    if (this.bytes + Math.min(bytes, limitBytes * largestShare) <= limitBytes) return true
    this.#refusedAtBytes = Math.max(this.#refusedAtBytes, limitBytes)
    return false
  }

  /** How many bytes have to become free, because requests were refused since this was asked before. */
  excessBytes(): number {
    const refusedAtBytes = this.#refusedAtBytes
    this.#refusedAtBytes = 0
    return refusedAtBytes === 0 ? 0 : this.bytes - refusedAtBytes * (1 - freedShare)
  }
}

/** What a connection holds of the memory, until it closes. */
export class Holding {
  /** All of it, and what of that is responses, unread or expected. */
  bytes = 0
  responseBytes = 0
  readonly #memory: Memory
  #restBytes = 0
  #isOver = false

  constructor(memory: Memory) {
    this.#memory = memory
  }

  add(bytes: number): void {
    // A handler may end behind its connection, which holds nothing then.
    if (this.#isOver) return
    this.bytes += bytes
    this.#memory.bytes += bytes
  }

  /** A response holds this many bytes from now on. */
  setResponse(response: { heldBytes: number }, bytes: number): void {
    const more = bytes - response.heldBytes
    response.heldBytes = bytes
    this.responseBytes += more
    this.add(more)
  }

  /** This many bytes wait for the parser from now on. */
  setRest(bytes: number): void {
    this.add(bytes - this.#restBytes)
    this.#restBytes = bytes
  }

  end(): void {
    this.add(-this.bytes)
    this.#isOver = true
  }
}
