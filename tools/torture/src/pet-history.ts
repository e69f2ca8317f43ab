/**
 * The states that a pet may have, given the requested changes and their outcomes. Either one client at a time changes a pet, or
 * several clients send concurrent changes with the same `If-Match`, of which only one may succeed.
 */
import type { NewPet } from "@petstore/conformance/catalogue"

/** New values for some members of a pet. `status: undefined` removes the status. */
export interface Correction {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: string | undefined
}

export type Change = Correction | "remove"

/** A possible state of a pet. It has no values once the pet has been removed. */
interface State {
  readonly values: NewPet | undefined
  /** The number of earlier requests, which is the same for concurrent changes. */
  readonly turn: number
  /** Whether the outcome of the change that leads to this state is still unknown. */
  isDoubtful: boolean
  /** Reads that begin after this time must not show this state. */
  overAtMillis: number
}

/** A sent change and the states that result from it. */
export interface Asked {
  readonly change: Change
  readonly states: ReadonlyArray<State>
}

const correct = ({ status: former, ...pet }: NewPet, correction: Correction): NewPet => {
  const { status = undefined, ...others } = "status" in correction ? correction : { ...correction, status: former }
  return { ...pet, ...others, ...(status === undefined ? {} : { status }) }
}

const stateOf = (values: NewPet | undefined, turn: number, isDoubtful: boolean): State => {
  return { values, turn, isDoubtful, overAtMillis: Number.POSITIVE_INFINITY }
}

const isSame = (one: NewPet | undefined, other: NewPet | undefined, withStatus: boolean): boolean =>
  one?.name === other?.name && one?.categoryId === other?.categoryId && (!withStatus || one?.status === other?.status)

export class PetHistory {
  #states: Array<State>
  #turn = 0
  /** Whether a client is changing the pet, or a change from this round has an unknown outcome. */
  isBusy = false
  /** Whether a client has asked to correct the status or to remove the pet. Orders alone then do not determine the status. */
  isChanged = false
  isRemovalAsked = false
  /** How many corrections may have made the pet available again. */
  timesFreed = 0

  constructor(given: NewPet) {
    this.#states = [stateOf(given, 0, false)]
  }

  /** Records concurrent changes that are about to be sent, each from the current state. */
  asking(...changes: ReadonlyArray<Change>): ReadonlyArray<Asked> {
    const alive = this.#alive
    this.#turn += 1
    return changes.map((change) => {
      if (change === "remove") this.isRemovalAsked = true
      else if (change.status === "available") this.timesFreed += 1
      if (change === "remove" || "status" in change) this.isChanged = true
      const corrected = (correction: Correction): ReadonlyArray<NewPet> =>
        alive.flatMap(({ values }) => (values === undefined ? [] : [correct(values, correction)]))
      const results = change === "remove" ? [undefined] : corrected(change)
      const states = results.map((values) => stateOf(values, this.#turn, true))
      this.#states.push(...states)
      return { change, states }
    })
  }

  /** Records an acknowledged change. From then on, only the states that result from it are possible. */
  done({ states }: Asked): void {
    for (const state of this.#alive) if (!states.includes(state)) state.overAtMillis = performance.now()
    for (const state of states) Object.assign(state, { isDoubtful: false, overAtMillis: Number.POSITIVE_INFINITY })
  }

  refused({ states }: Asked): void {
    this.#states = this.#states.filter((state) => !states.includes(state))
  }

  /**
   * Whether a read that began at the given time is allowed to show these values, or to report the pet missing. If a read shows a
   * change, the change has happened. If the pet has orders, its status is not compared: see `Ledger`.
   */
  mayShow(shown: NewPet | undefined, beganAtMillis: number, withStatus: boolean): boolean {
    const fits = this.#states.filter((state) => state.overAtMillis > beganAtMillis && isSame(state.values, shown, withStatus))
    const [only, ...others] = fits
    if (only?.isDoubtful === true && others.every(({ isDoubtful }) => isDoubtful)) {
      // The changes in later requests may still happen.
      const isOver = (state: State): boolean => state.turn <= only.turn && !fits.includes(state)
      for (const state of this.#alive) if (isOver(state)) state.overAtMillis = performance.now()
    }
    return only !== undefined
  }

  /** Whether the pet was certainly gone at the given time, whatever the outcome of its requests. */
  isGoneAt(millis: number): boolean {
    const alive = this.#states.filter(({ overAtMillis }) => overAtMillis > millis)
    return alive.length > 0 && alive.every(({ values }) => values === undefined)
  }

  get #alive(): ReadonlyArray<State> {
    return this.#states.filter(({ overAtMillis }) => overAtMillis === Number.POSITIVE_INFINITY)
  }
}
