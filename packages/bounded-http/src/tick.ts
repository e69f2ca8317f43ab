/**
 * Limits how many requests start in one tick, so that no connection waits long. A connection's first request does not count, but it
 * waits if others that were read in this tick have got long responses at once.
 */

/** The work per tick, in requests. A tick that does more work leaves less for the next ticks. */
const workATick = 128

/** The work in a tick that has accepted a connection: less, because Node accepts one connection per tick and others may wait. */
const workWhileAccepting = 8

export class Tick {
  #left = workATick
  #gain = workATick
  /** The work of all long responses so far, and of those to requests that were read in this tick. */
  #written = 0
  #writtenAtOnce = 0
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

  /**
   * Counts the work of a long response. The next tick still gets a turn, because long responses to first requests could otherwise
   * keep the turns waiting for ever.
   */
  wrote(requests: number): void {
    this.#written += requests
    this.#left = Math.max(this.#left - requests, Math.min(this.#left, 1 - workATick))
    this.#schedule()
  }

  /** Starts a request that has just been read. */
  begin(start: () => void): void {
    const before = this.#written
    start()
    this.#writtenAtOnce += this.#written - before
  }

  /** Whether a connection's first request may start as soon as it has been read. */
  get mayBegin(): boolean {
    return this.#writtenAtOnce < workATick
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
    setImmediate(() => this.#takeTurns())
  }

  #takeTurns(): void {
    this.#isScheduled = false
    this.#left = Math.min(workATick, this.#left + this.#gain)
    this.#gain = workATick
    let turns = this.#turns.size
    try {
      for (const turn of this.#turns) {
        // Callbacks that wait again are called in the next tick.
        if (turns === 0 || this.#left <= 0) break
        turns -= 1
        this.#turns.delete(turn)
        this.#left -= 1
        turn()
      }
    } finally {
      this.#writtenAtOnce = 0
      // A listener's error must not keep the other connections waiting, if the process survives it.
      if (this.#turns.size > 0 || this.#left < workATick) this.#schedule()
    }
  }
}
