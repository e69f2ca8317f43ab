/**
 * What a pet may be by the corrections and removals that were asked for, and by their outcome.
 * One caller at a time changes a pet, or several at once under one `If-Match`, of which one may succeed.
 */
import type { NewPet } from "@petstore/conformance/catalogue"

/** Some members of a pet; `status: undefined` removes the status. */
export interface Correction {
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: string | undefined
}

/** What a caller wants of a pet: other values, or that it is gone. */
export type Change = Correction | "remove"

/** One thing that a pet may be; no values once it is removed. */
interface State {
  readonly values: NewPet | undefined
  /** Counts what was asked for before it; changes at once have the same. */
  readonly turn: number
  /** Whether it is not known if the change to this state happened. */
  isDoubtful: boolean
  /** From when on no read may show it. */
  overAtMillis: number
}

/** A change that left, and the states that it leads to. */
export interface Asked {
  readonly change: Change
  readonly states: ReadonlyArray<State>
}

const correct = ({ status: former, ...pet }: NewPet, correction: Correction): NewPet => {
  const { status = undefined, ...others } = "status" in correction ? correction : { ...correction, status: former }
  return { ...pet, ...others, ...(status === undefined ? {} : { status }) }
}

const isSame = (one: NewPet | undefined, other: NewPet | undefined, withStatus: boolean): boolean =>
  one?.name === other?.name && one?.categoryId === other?.categoryId && (!withStatus || one?.status === other?.status)

export class PetHistory {
  #states: Array<State>
  #turn = 0
  /** Whether a caller is changing it, or asked in this round for a change of which it is not known what became. */
  isBusy = false
  /** Whether a correction of its status, or its removal, was ever asked for: its orders alone do not say what it is. */
  isChanged = false
  isRemovalAsked = false
  /** How many corrections may have made it available again. */
  timesFreed = 0

  constructor(given: NewPet) {
    this.#states = [{ values: given, turn: 0, isDoubtful: false, overAtMillis: Number.POSITIVE_INFINITY }]
  }

  /** Takes note of changes that are about to leave at once, each from what the pet is now. */
  asking(...changes: ReadonlyArray<Change>): ReadonlyArray<Asked> {
    const alive = this.#alive
    this.#turn += 1
    return changes.map((change) => {
      this.#note(change)
      const values =
        change === "remove"
          ? [undefined]
          : alive.flatMap((state) => (state.values === undefined ? [] : [correct(state.values, change)]))
      const states = values.map((one) => ({
        values: one,
        turn: this.#turn,
        isDoubtful: true,
        overAtMillis: Number.POSITIVE_INFINITY,
      }))
      this.#states.push(...states)
      return { change, states }
    })
  }

  /** Takes note that a change was acknowledged: from now on the pet is nothing else. */
  done({ states }: Asked): void {
    for (const state of this.#alive) if (!states.includes(state)) state.overAtMillis = performance.now()
    for (const state of states) Object.assign(state, { isDoubtful: false, overAtMillis: Number.POSITIVE_INFINITY })
  }

  /** Takes note that a change did not happen. */
  refused({ states }: Asked): void {
    this.#states = this.#states.filter((state) => !states.includes(state))
  }

  /**
   * Whether a read that began at this time may show these values, or no pet. A change that is seen has happened.
   * With orders the status is not compared: see `Ledger`.
   */
  mayShow(shown: NewPet | undefined, beganAtMillis: number, withStatus: boolean): boolean {
    const fits = this.#states.filter((state) => state.overAtMillis > beganAtMillis && isSame(state.values, shown, withStatus))
    const [only, ...others] = fits
    if (only?.isDoubtful === true && others.every(({ isDoubtful }) => isDoubtful)) {
      // What was asked for later may still happen.
      const isOver = (state: State): boolean => state.turn <= only.turn && !fits.includes(state)
      for (const state of this.#alive) if (isOver(state)) state.overAtMillis = performance.now()
    }
    return only !== undefined
  }

  /** Whether the pet was gone at a time, whatever became of what was asked for. */
  isGoneAt(millis: number): boolean {
    const alive = this.#states.filter(({ overAtMillis }) => overAtMillis > millis)
    return alive.length > 0 && alive.every(({ values }) => values === undefined)
  }

  get #alive(): ReadonlyArray<State> {
    return this.#states.filter(({ overAtMillis }) => overAtMillis === Number.POSITIVE_INFINITY)
  }

  #note(change: Change): void {
    if (change === "remove") this.isRemovalAsked = true
    else if (change.status === "available") this.timesFreed += 1
    if (change === "remove" || "status" in change) this.isChanged = true
  }
}
