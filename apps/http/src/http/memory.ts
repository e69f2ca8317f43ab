/**
 * Counts the memory of a process's requests and responses, and refuses requests beyond the process's budget. Each connection adds
 * its parsed, waiting, running and unread bytes to one number, and later subtracts them.
 */

/** The share of the budget for requests without an API key. The rest is for requests with a key. */
const keylessShare = 1 / 2

/** The share of the budget for bytes that are not requests yet, so that requests with an API key still have room. */
const unparsedShare = 1 / 4

/** The share of a limit that is freed, by closing connections, after a request was refused. */
const freedShare = 1 / 4

/** The expected size of a request is capped at this share of a limit, because a large request could otherwise never run. */
const largestShare = 1 / 8

/** How fast the estimate falls after a long response: each shorter response closes this share of the gap. */
const forgetting = 1 / 16

/** The expected length of an operation's responses: the length of the longest recent response. */
export class ResponseSize {
  bytes = 0

  learn(bytes: number): void {
    this.bytes = bytes > this.bytes ? bytes : this.bytes + (bytes - this.bytes) * forgetting
  }
}

export class Memory {
  bytes = 0
  /** The part of `bytes` that waits for the parser or belongs to an unfinished head. */
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

  /** How many bytes must become free because requests have been refused since the last call. */
  excessBytes(): number {
    const refusedAtBytes = this.#refusedAtBytes
    this.#refusedAtBytes = 0
    return refusedAtBytes === 0 ? 0 : this.bytes - refusedAtBytes * (1 - freedShare)
  }
}

/** A connection's memory, until the connection closes. */
export class Holding {
  bytes = 0
  /** The part of `bytes` that unread or expected responses take. */
  responseBytes = 0
  readonly #memory: Memory
  #unparsedBytes = 0
  #isOver = false

  constructor(memory: Memory) {
    this.#memory = memory
  }

  add(bytes: number): void {
    // A handler may finish after its connection has closed. A closed connection holds nothing.
    if (this.#isOver) return
    this.bytes += bytes
    this.#memory.bytes += bytes
  }

  setResponse(response: { heldBytes: number }, bytes: number): void {
    const more = bytes - response.heldBytes
    response.heldBytes = bytes
    this.responseBytes += more
    this.add(more)
  }

  /** Records how many bytes now wait for the parser or belong to an unfinished head. */
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
