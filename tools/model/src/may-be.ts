/** The states that one thing may be in, given the requests that were sent and what is known of their outcomes. */
import type { Rule } from "./rules.ts"

/** A request that was sent. */
export interface Asked<State> {
  readonly rule: Rule<State>
  /** The place of a change that clients send one after another. An earlier change never happens after a later one. */
  readonly turn: number | undefined
  readonly atMillis: number
}

interface Possible<State> {
  readonly state: State
  /** The requests that have happened in this state. */
  readonly happened: ReadonlySet<Asked<State>>
  /** The open requests that may have happened, and would not have changed this state. */
  readonly idle: Set<Asked<State>>
  /** The possible states before. */
  readonly from: Set<Possible<State>>
  /** Reads that begin after this time must not show this state. */
  overAtMillis: number
}

/** With more possible states, a thing is not judged any more: they would multiply until the memory is full. */
const statesMaximum = 2_000

export class MayBe<State> {
  readonly #keyOf: (state: State) => string
  readonly #now: () => number
  #all: Array<Possible<State>>
  /** The requests that may still happen. */
  readonly #open = new Set<Asked<State>>()
  #turn = 0
  #isLost = false

  constructor(first: State, keyOf: (state: State) => string, now: () => number) {
    this.#keyOf = keyOf
    this.#now = now
    this.#all = [{ state: first, happened: new Set(), idle: new Set(), from: new Set(), overAtMillis: Number.POSITIVE_INFINITY }]
  }

  get states(): ReadonlyArray<State> {
    return this.#alive.map(({ state }) => state)
  }

  /** Whether too many states are possible. Everything is possible then, and nothing certain. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** The place of changes that are about to be sent, after all earlier ones. */
  nextTurn(): number {
    this.#turn += 1
    return this.#turn
  }

  /** Records a request before it is sent. */
  ask(rule: Rule<State>, turn?: number): Asked<State> {
    const asked = { rule, turn, atMillis: this.#now() }
    if (this.#isLost) return asked
    this.#open.add(asked)
    this.#grow()
    return asked
  }

  /** Runs a request whose outcome is known, for a thing in one state. Returns the code if the request is refused. */
  do(rule: Rule<State>): string | undefined {
    const [only, ...others] = this.states
    if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} states are possible`)
    const to = rule(only)
    if (typeof to === "string") return to
    this.done(this.ask(rule))
    return undefined
  }

  /**
   * Records that a request happened, and that its response showed a state. Returns whether that was possible. From then on, only
   * states in which the request happened are possible.
   */
  done(asked: Asked<State>, fits: (state: State) => boolean = () => true): boolean {
    if (this.#isLost) return true
    this.#open.delete(asked)
    for (const other of this.#open) {
      if (other.turn !== undefined && asked.turn !== undefined && other.turn <= asked.turn) this.#open.delete(other)
    }
    const isPossible = this.#show(
      ({ state, happened, idle }) => (happened.has(asked) || idle.has(asked)) && fits(state),
      asked.atMillis,
    )
    if (this.#open.size === 0) this.#merge()
    return isPossible
  }

  /** Records that a request was refused, so that it never happens. Returns whether a possible state refuses it with the code. */
  refused(asked: Asked<State>, code: string): boolean {
    if (this.#isLost) return true
    this.#open.delete(asked)
    const others = this.#all.filter(({ happened }) => !happened.has(asked))
    if (others.some(isAlive)) this.#all = others
    return this.refuses(asked, code)
  }

  /** Records the refusal of one of several equal requests. The others may still happen. */
  refuses(asked: Asked<State>, code: string): boolean {
    return this.#show(({ state, happened }) => !happened.has(asked) && asked.rule(state) === code, asked.atMillis)
  }

  /**
   * Records what a read that began at the given time showed. Returns whether that was possible. From then on, only the states that it
   * may have shown, and those that other requests make of them, are possible.
   */
  shows(fits: (state: State) => boolean, beganAtMillis: number): boolean {
    return this.#show(({ state }) => fits(state), beganAtMillis)
  }

  #show(fits: (one: Possible<State>) => boolean, beganAtMillis: number): boolean {
    if (this.#isLost) return true
    const shown = new Set(this.#all.filter((one) => one.overAtMillis > beganAtMillis && fits(one)))
    const follows = (one: Possible<State>, seen: Set<Possible<State>>): boolean => {
      if (shown.has(one)) return true
      if (seen.has(one)) return false
      seen.add(one)
      return [...one.from].some((before) => follows(before, seen))
    }
    const following = new Set(this.#alive.filter((one) => follows(one, new Set())))
    if (following.size === 0) {
      // What was shown is wrong, and so is everything that would follow from it: the possible states would multiply for ever.
      this.#open.clear()
      this.#merge()
      return false
    }
    for (const one of this.#alive) if (!following.has(one)) one.overAtMillis = this.#now()
    return true
  }

  /** Whether every state that was possible at the given time fits. */
  isCertain(fits: (state: State) => boolean, atMillis: number): boolean {
    return !this.#isLost && this.#all.every(({ state, overAtMillis }) => overAtMillis <= atMillis || fits(state))
  }

  get #alive(): ReadonlyArray<Possible<State>> {
    return this.#all.filter(isAlive)
  }

  /** Makes equal states one. While requests are open, the states that they lead to need each of them. */
  #merge(): void {
    const known = new Map<string, Possible<State>>()
    for (const one of this.#alive) {
      const same = known.get(this.#keyOf(one.state))
      if (same === undefined) known.set(this.#keyOf(one.state), one)
      else for (const before of one.from) same.from.add(before)
    }
    const kept = new Set(known.values())
    this.#all = this.#all.filter((one) => !isAlive(one) || kept.has(one))
  }

  /** Lets every open request happen in every state in which it may. */
  #grow(): void {
    const known = new Map(this.#alive.map((one) => [this.#nameOf(one), one]))
    // The loop also visits the states that it adds.
    for (const one of known.values()) {
      if (known.size > statesMaximum) {
        this.#isLost = true
        this.#open.clear()
        this.#all = []
        return
      }
      for (const asked of this.#open) {
        if (one.happened.has(asked) || isBehind(asked, one)) continue
        const state = asked.rule(one.state)
        if (typeof state === "string") continue
        if (state === one.state) {
          one.idle.add(asked)
          continue
        }
        const next = {
          state,
          happened: new Set([...one.happened, asked]),
          idle: new Set<Asked<State>>(),
          from: new Set([one]),
          overAtMillis: Number.POSITIVE_INFINITY,
        }
        const same = known.get(this.#nameOf(next))
        if (same !== undefined) same.from.add(one)
        else {
          known.set(this.#nameOf(next), next)
          this.#all.push(next)
        }
      }
    }
  }

  /** States that differ only by requests whose outcomes are known are one state. */
  #nameOf({ state, happened }: Possible<State>): string {
    const places = [...this.#open].flatMap((asked, place) => (happened.has(asked) ? [place] : []))
    return `${this.#keyOf(state)} ${places.join()}`
  }
}

const isAlive = ({ overAtMillis }: { readonly overAtMillis: number }): boolean => overAtMillis === Number.POSITIVE_INFINITY

/** Whether a change of the same turn or a later one has already happened. */
const isBehind = <State>({ turn }: Asked<State>, { happened }: Possible<State>): boolean =>
  turn !== undefined && [...happened].some((other) => other.turn !== undefined && other.turn > turn)
