/** What the clients of a run sent, and what responses told them. The feed of changes has to explain all of it. */
import { randomUUID } from "node:crypto"
import { type Order, orderOf } from "@petstore/conformance/store-orders"
import type { Client } from "@petstore/harness/client"
import { type Json, members } from "@petstore/harness/exact-json"
import { errorOf, type Pet, petOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { type History, outcomeIn, type Row, rowIn, type Sent, type State, textOf } from "./history.ts"

/** A pet or an order that a client wants. All its requests create one row if it has a key, and otherwise one row each. */
export interface Intent<Given> {
  readonly given: Given
  readonly idempotencyKey: string | undefined
  readonly known: Sent["known"]
  /** Whether a request had an unknown outcome. */
  isUnknown: boolean
}

export interface Write extends Pick<Sent, "what" | "petId" | "rule"> {
  readonly request: Request
  readonly intent?: Intent<unknown>
}

const rowOf = (json: Json): Row => (members(json)?.["petId"] === undefined ? petOf(json) : orderOf(json))

const shows = (state: State, row: Row | undefined): boolean =>
  row === undefined ? state.pet === undefined : textOf(rowIn(state, row)) === textOf(row)

export class Ledger {
  /** Distinguishes this run from every other run on the same store. */
  readonly run = randomUUID().slice(0, 8)
  readonly #sent = new Map<unknown, Sent>()
  /** What responses told, in the order in which they ended, until a check has explained it. */
  readonly #told: Array<(history: History) => void> = []
  readonly #problems: Array<string> = []
  /** How many problems of each kind there were, and how many writes were acknowledged. */
  readonly counts = { lost: 0, doubled: 0, altered: 0, resurrected: 0, stale: 0, changes: 0 }
  /** The acknowledged pets and orders as they were created. */
  readonly pets: Array<Pet> = []
  readonly orders: Array<Order> = []

  readonly problem = (text: string, kind?: keyof Ledger["counts"]): void => {
    if (kind !== undefined) this.counts[kind] += 1
    this.#problems.push(kind === undefined ? text : `${kind}: ${text}`)
  }

  takeProblems(): ReadonlyArray<string> {
    return this.#problems.splice(0)
  }

  /** Sends a request, and notes what its response tells. Rejects if there is no response. A 503 tells nothing. */
  async write(client: Client, { request, intent, ...asked }: Write): Promise<WireResponse> {
    const requestId = `${this.run}-${this.#sent.size}`
    const known = intent?.idempotencyKey === undefined ? { atMillis: Number.POSITIVE_INFINITY } : intent.known
    const sent = { ...asked, known, sentAtMillis: performance.now() }
    this.#sent.set(requestId, sent)
    const response = await client.send({ ...request, headers: [...(request.headers ?? []), `X-Request-Id: ${requestId}`] })
    if (response.status < 300) this.#acknowledged(sent, response.status === 204 ? undefined : rowOf(response.json), intent)
    else if (response.status !== 503) this.#refused(sent, errorOf(response).code)
    return response
  }

  #acknowledged(sent: Sent, row: Row | undefined, intent: Intent<unknown> | undefined): void {
    const { what, petId, known, sentAtMillis } = sent
    const endedAtMillis = performance.now()
    if (intent === undefined) this.counts.changes += 1
    else if (row !== undefined && known.atMillis === Number.POSITIVE_INFINITY) {
      if ("petId" in row) this.orders.push(row)
      else this.pets.push(row)
    }
    known.atMillis = Math.min(known.atMillis, endedAtMillis)
    this.#told.push((history) => {
      const made = history.madeBy(sent)
      const changesNothing = (state: State): boolean => outcomeIn(sent, state) === undefined && shows(state, row)
      const isExplained = made
        ? shows(made.state, row)
        : history.timelineOf(petId).shows(changesNothing, sentAtMillis, endedAtMillis)
      if (isExplained) return
      const left = made === undefined ? "no change" : textOf([made.state.pet, ...made.state.orders.values()])
      this.problem(`${what} was acknowledged with ${textOf(row)}, but left ${left}`, made === undefined ? "lost" : "altered")
    })
  }

  #refused(sent: Sent, code: string): void {
    const { what, petId, known, sentAtMillis } = sent
    const endedAtMillis = performance.now()
    this.#told.push((history) => {
      const isReason = (state: State): boolean => outcomeIn(sent, state) === code
      const isNeverMade = history.madeBy(sent)?.by !== sent && known.atMillis > sentAtMillis
      if (!isNeverMade || !history.timelineOf(petId).shows(isReason, sentAtMillis, endedAtMillis))
        this.problem(`${what} was refused with ${code}, for which there was no reason`, "altered")
    })
  }

  /** Notes that a read showed a pet or one of its orders, or no pet. */
  show(petId: bigint, row: Row | undefined, beganAtMillis: number): void {
    const text = row === undefined ? `pet ${petId} was not shown` : `${textOf(row)} was shown`
    this.see(petId, (state) => shows(state, row), beganAtMillis, text)
  }

  /** Notes that a read showed something of a pet. */
  see(petId: bigint, fits: (state: State) => boolean, beganAtMillis: number, text: string): void {
    const endedAtMillis = performance.now()
    this.#told.push((history) => {
      const timeline = history.timelineOf(petId)
      if (timeline.shows(fits, beganAtMillis, endedAtMillis)) return
      const isGone = timeline.shows(({ pet }) => pet === undefined, beganAtMillis, endedAtMillis)
      this.problem(`${text}, although no change explains it`, isGone ? "resurrected" : "stale")
    })
  }

  /** Checks that changes explain everything that was told since the last check. */
  explain(history: History): void {
    for (const check of this.#told.splice(0)) check(history)
  }

  get sent(): ReadonlyMap<unknown, Sent> {
    return this.#sent
  }
}
