/** What callers put up with while a fault lasts; anything worse is noted in the ledger. */
import type { Answer } from "@petstore/harness/answer"
import type { Ledger } from "./ledger.ts"

/** What callers must put up with while a fault lasts. */
export interface Tolerated {
  /** Connections may be refused and may break. */
  readonly mayBreak: boolean
  /** 503 `storage_unavailable` is an answer. */
  readonly mayRefuse: boolean
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export class Tolerance {
  readonly #tolerated: Tolerated
  readonly #ledger: Ledger
  /** How many requests were answered with 503. */
  refusals = 0

  constructor(tolerated: Tolerated, ledger: Ledger) {
    this.#tolerated = tolerated
    this.#ledger = ledger
  }

  broken(cause: unknown): void {
    if (!this.#tolerated.mayBreak) this.#ledger.problem(`a connection failed: ${messageOf(cause)}`)
  }

  refused(answer: Answer, what = "a request"): void {
    if (answer.status === 503) this.refusals += 1
    if (answer.status === 503 && this.#tolerated.mayRefuse) return
    this.#ledger.problem(`${what} was answered ${answer.status} ${answer.text.slice(0, 200)}`)
  }
}
