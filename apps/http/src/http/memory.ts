/**
 * Counts the memory of the requests and responses of a process, and refuses requests beyond its budget.
 *
 * One number: each connection adds its parsed, waiting, running and unread bytes, and subtracts them again.
 */

/** The share of the budget for requests without an API key: the rest is for those with one. */
const keylessShare = 1 / 2

/** The share of the budget for bytes that are not requests yet, so that there is still room for requests with an API key. */
const unparsedShare = 1 / 4

/** The share of a limit that closing connections frees after a refused request. */
const freedShare = 1 / 4

/** The expected size of a request is capped at this share of a limit: otherwise a large one could never run. */
const largestShare = 1 / 8

/** How fast the estimate falls after a long response: each shorter one closes this share of the gap. */
const forgetting = 1 / 16

/** The expected length of the responses of an operation: that of the longest recent one. */
export class ResponseSize {
  bytes = 0

  learn(bytes: number): void {
    this.bytes = bytes > this.bytes ? bytes : this.bytes + (bytes - this.bytes) * forgetting
  }
}

export class Memory {
  bytes = 0
  /** The part of it that waits for the parser, or is a head that has not ended. */
  unparsedBytes = 0
  readonly budgetBytes: number
  #refusedAtBytes = 0

  constructor(budgetBytes: number) {
    this.budgetBytes = budgetBytes
  }

  get isOver(): boolean {
    return this.bytes > this.budgetBytes
  }

  /** Whether bytes that are not requests yet are refused. */
  get isOverUnparsed(): boolean {
    return this.isOver || this.unparsedBytes > this.budgetBytes * unparsedShare
  }

  /** Whether a request that is expected to hold this many bytes may run. */
  hasRoomFor(bytes: number, hasKey: boolean): boolean {
    const limitBytes = hasKey ? this.budgetBytes : this.budgetBytes * keylessShare
    if (this.bytes + Math.min(bytes, limitBytes * largestShare) <= limitBytes) return true
    this.#refusedAtBytes = Math.max(this.#refusedAtBytes, limitBytes)
    return false
  }

  /** How many bytes must become free, because requests were refused since the last call. */
  excessBytes(): number {
    const refusedAtBytes = this.#refusedAtBytes
    this.#refusedAtBytes = 0
    return refusedAtBytes === 0 ? 0 : this.bytes - refusedAtBytes * (1 - freedShare)
  }
}

/** The memory of a connection, until it closes. */
export class Holding {
  /** All its memory, and that of its responses, unread or expected. */
  bytes = 0
  responseBytes = 0
  readonly #memory: Memory
  #unparsedBytes = 0
  #isOver = false

  constructor(memory: Memory) {
    this.#memory = memory
  }

  add(bytes: number): void {
    // A handler may end after its connection, which then holds nothing.
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

  /** From now on, bytes waiting for the parser (or an incomplete head) take up this many bytes. */
  setUnparsed(bytes: number): void {
    if (this.#isOver) return
    const more = bytes - this.#unparsedBytes
    this.#unparsedBytes = bytes
    this.#memory.unparsedBytes += more
    this.add(more)
  }

  end(): void {
    this.setUnparsed(0)
    this.add(-this.bytes)
    this.#isOver = true
  }
}
