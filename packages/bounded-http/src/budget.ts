/**
 * Counts the memory of a server's requests and responses, and refuses requests beyond its budget. Each connection adds its parsed,
 * waiting, running and unread bytes to one number, and later subtracts them.
 */

/** The share of the budget for bytes that are not requests yet, so that requests which may run still have room. */
const unparsedShare = 1 / 4

/** The share of a limit that is freed, by closing connections, after a request was refused. */
const freedShare = 1 / 4

/** The expected size of a request is capped at this share of a limit, because a large request could otherwise never run. */
const largestShare = 1 / 8

/** Several servers may share a budget. */
export class Budget {
  bytes = 0
  /** The part of `bytes` that waits for the parser or belongs to an unfinished head. */
  unparsedBytes = 0
  readonly limitBytes: number
  #refusedAtBytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get isOver(): boolean {
    return this.bytes > this.limitBytes
  }

  /** Whether bytes that are not requests yet are refused. */
  get isOverUnparsed(): boolean {
    return !this.hasRoomForUnparsed(0)
  }

  /** Whether this many bytes more may wait for the parser. */
  hasRoomForUnparsed(bytes: number): boolean {
    return this.bytes + bytes <= this.limitBytes && this.unparsedBytes + bytes <= this.limitBytes * unparsedShare
  }

  /** Whether a request that is expected to take this many bytes may run, with this share of the budget for its kind. */
  hasRoomFor(bytes: number, share: number): boolean {
    const limitBytes = this.limitBytes * share
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

/** A connection's part of a budget, until the connection closes. */
export class ConnectionBudget {
  bytes = 0
  /** The part of `bytes` that unread or expected responses take. */
  responseBytes = 0
  readonly #budget: Budget
  #unparsedBytes = 0
  #isOver = false

  constructor(budget: Budget) {
    this.#budget = budget
  }

  add(bytes: number): void {
    // A listener may finish after its connection has closed. A closed connection holds nothing.
    if (this.#isOver) return
    this.bytes += bytes
    this.#budget.bytes += bytes
  }

  setResponse(response: { countedBytes: number }, bytes: number): void {
    const more = bytes - response.countedBytes
    response.countedBytes = bytes
    this.responseBytes += more
    this.add(more)
  }

  /** Records how many bytes now wait for the parser or belong to an unfinished head. */
  setUnparsed(bytes: number): void {
    if (this.#isOver) return
    const more = bytes - this.#unparsedBytes
    this.#unparsedBytes = bytes
    this.#budget.unparsedBytes += more
    this.add(more)
  }

  end(): void {
    this.setUnparsed(0)
    this.add(-this.bytes)
    this.#isOver = true
  }
}
