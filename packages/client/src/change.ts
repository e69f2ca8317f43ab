/** What happened, as callers see it, and its JSON. Experimental: it may change in a minor release. */
import type { CallOptions } from "./call-options.js"
import { type Category, decodeCategory } from "./category.js"
import { isPetstoreError, type PetstoreError } from "./errors.js"
import { changeOperations, passing } from "./facts.js"
import { object, oneOf, text, timestamp } from "./fields.js"
import { decodeOrder, type Order } from "./order.js"
import { type ListQuery, largestPage } from "./page.js"
import { decodePet, type Pet } from "./pet.js"
import type { Result } from "./result.js"
import { backoffMillis, pause } from "./time.js"

/** What was done. @experimental */
export type ChangeOperation =
  | "createPet"
  | "correctPet"
  | "removePet"
  | "restorePet"
  | "createOrder"
  | "completeOrder"
  | "cancelOrder"
  | "returnOrder"
  | "changeOrder"
  | "replaceCategory"
  | "removeCategory"

/** The resources that an operation touched, before or after it. @experimental */
export interface Touched {
  readonly pet?: Pet
  readonly order?: Order
  readonly category?: Category
}

/** Who made a change: an account with one of its API keys, or a command of the operator. @experimental */
export type ChangedBy =
  | {
      readonly account: { readonly id: string; readonly name: string }
      readonly key: { readonly id: string; readonly label?: string }
    }
  | { readonly command: string }

/** One change of pets, orders or categories. @experimental */
export interface Change {
  /** Unique and stable. */
  readonly id: string
  readonly at: Date
  readonly operation: ChangeOperation
  /** Absent if another program wrote to the store. */
  readonly by?: ChangedBy
  readonly requestId?: string
  /** Absent if the operation made the resource. */
  readonly before?: Touched
  /** Absent if the operation removed the resource. */
  readonly after?: Touched
}

/** Which page of changes to list. @experimental */
export interface ChangeQuery extends ListQuery {
  /** Only changes of this pet and its orders, also after its removal. */
  readonly petId?: bigint | undefined
  /** `asc` begins with the oldest kept change, `desc` with the newest. `asc` if absent. */
  readonly order?: "asc" | "desc" | undefined
  /**
   * How many seconds the service waits for a change, 0 to 30, before it sends an empty page. With the order `asc` only. The call's time
   * limits begin after that.
   */
  readonly wait?: number | undefined
}

/** One page of changes. @experimental */
export interface ChangePage {
  readonly items: ReadonlyArray<Change>
  /** The query for the next page. With the order `asc` it is always there: it gets what happens later. Plain data: you may store it. */
  readonly next?: ChangeQuery & { readonly cursor: string }
  /** On the first page with the order `desc`: the query for what happens later. */
  readonly later?: ChangeQuery & { readonly cursor: string }
}

const touched = object<Touched>({}, { pet: decodePet, order: decodeOrder, category: decodeCategory })

const command = object<Extract<ChangedBy, { command: string }>>({ command: text }, {})
const caller = object<Exclude<ChangedBy, { command: string }>>(
  { account: object({ id: text, name: text }, {}), key: object({ id: text }, { label: text }) },
  {},
)

export const changeOperation = oneOf<ChangeOperation>(changeOperations)

export const decodeChange = object<Change>(
  { id: text, at: timestamp, operation: changeOperation },
  { by: (json) => command(json) ?? caller(json), requestId: text, before: touched, after: touched },
)

/** Where to begin to follow changes: at a cursor, or with what happens from now on; otherwise, with the oldest kept change. @experimental */
export interface FollowQuery {
  readonly petId?: bigint | undefined
  readonly cursor?: string | undefined
  readonly from?: "now" | undefined
}

/** The changes, without an end. @experimental */
export interface ChangeFeed extends AsyncIterable<Change> {
  /**
   * Where to go on: store it after you have handled a change. It is behind every change of the pages that you have finished, so a
   * new start gives at most the last 100 changes again. `undefined` until the first page is read, unless the query has a cursor.
   */
  readonly cursor: string | undefined
}

type List = (query: ChangeQuery, options: CallOptions) => Promise<Result<ChangePage>>

/** How long a request waits for a change, in seconds: shorter than many proxies let a connection be silent. */
const waitSeconds = 25

/** Whether a later request may succeed: there was no response, or a failure that passes. */
const passes = (thrown: unknown): thrown is PetstoreError =>
  isPetstoreError(thrown) &&
  (thrown.status === undefined ? /^(?:network|timeout)$/.test(thrown.code) : passing.includes(thrown.status))

export const followChanges = (list: List, { petId, ...start }: FollowQuery, options: CallOptions): ChangeFeed => {
  let { cursor } = start
  let failures = 0

  /** Repeats a request until it succeeds or a failure does not pass by itself. */
  const untilAnswered = async (query: ChangeQuery): Promise<ChangePage> => {
    for (;;) {
      try {
        const { value } = await list(query, options)
        failures = 0
        return value
      } catch (thrown) {
        if (!passes(thrown)) throw thrown
        failures += 1
        await pause(backoffMillis(failures, thrown.retryAfterMillis, Math.random()), options.signal)
      }
    }
  }

  return {
    get cursor() {
      return cursor
    },
    async *[Symbol.asyncIterator]() {
      if (start.from === "now") cursor ??= (await untilAnswered({ petId, order: "desc", limit: 1 })).later?.cursor
      for (;;) {
        const { items, next } = await untilAnswered({ petId, cursor, wait: waitSeconds, limit: largestPage })
        yield* items
        cursor = next?.cursor
      }
    },
  }
}
