/** Repeatable randomness: the same seed gives the same numbers (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Draws a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Draws an integer from `minimum` to `maximum`, both included. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(values: readonly [A, ...ReadonlyArray<A>]): A {
    return values[this.integer(0, values.length - 1)] ?? values[0]
  }

  pickAny<A>([first, ...others]: ReadonlyArray<A>): A | undefined {
    return first === undefined ? undefined : this.pick([first, ...others])
  }

  shuffle<A>(values: ReadonlyArray<A>): ReadonlyArray<A> {
    return values
      .map((value) => ({ value, place: this.next() }))
      .sort((one, other) => one.place - other.place)
      .map(({ value }) => value)
  }

  /** Draws a seed for a separate generator, so that draws in one part of a program do not affect draws in another. */
  seed(): number {
    return this.integer(0, 2 ** 31 - 1)
  }
}
