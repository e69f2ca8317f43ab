/** The states that a thing had one after another, and when it may have had them, as far as requests and responses tell. */

/** A change of the thing: its request was sent at one time, and a response told of it at another. */
interface Step<State> {
  readonly state: State
  readonly sentAtMillis: number
  readonly knownAtMillis: number
}

export class Timeline<State> {
  /** Each state can begin only after `fromMillis`, and reads that begin after `untilMillis` must not show it. */
  readonly #states: ReadonlyArray<{ readonly state: State; readonly fromMillis: number; untilMillis: number }>

  constructor(first: State, steps: ReadonlyArray<Step<State>>) {
    let fromMillis = Number.NEGATIVE_INFINITY
    let untilMillis = Number.POSITIVE_INFINITY
    const states = [{ state: first, fromMillis, untilMillis }]
    for (const { state, sentAtMillis } of steps) {
      fromMillis = Math.max(fromMillis, sentAtMillis)
      states.push({ state, fromMillis, untilMillis })
    }
    for (const [place, one] of [...states.entries()].toReversed()) {
      one.untilMillis = untilMillis
      untilMillis = Math.min(untilMillis, steps[place - 1]?.knownAtMillis ?? untilMillis)
    }
    this.#states = states
  }

  /** Whether each change was sent before a response told of a later one. */
  get isInOrder(): boolean {
    return this.#states.every(({ fromMillis }, place) => fromMillis <= (this.#states[place - 1]?.untilMillis ?? fromMillis))
  }

  /**
   * Whether a request between two times may have met a fitting state. From then on, requests that begin after it meet that state or
   * later ones, so call this in the order in which the requests ended.
   */
  shows(fits: (state: State) => boolean, beganAtMillis: number, endedAtMillis: number): boolean {
    const place = this.#states.findIndex(
      ({ state, fromMillis, untilMillis }) => fromMillis <= endedAtMillis && beganAtMillis <= untilMillis && fits(state),
    )
    for (const former of this.#states.slice(0, Math.max(0, place))) {
      former.untilMillis = Math.min(former.untilMillis, endedAtMillis)
    }
    return place !== -1
  }
}
