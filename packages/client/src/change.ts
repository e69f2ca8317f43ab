/** What happened, as callers see it, and its JSON. Experimental: it may change in a minor release. */
import type { Change as DomainChange } from "@petstore/core"
import { type Category, decodeCategory } from "./category.js"
import { decodeOrder, type Order } from "./order.js"
import type { ListQuery } from "./page.js"
import { decodePet, object, oneOf, type Pet, text, timestamp } from "./pet.js"

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
}

/** One page of changes. @experimental */
export interface ChangePage {
  readonly items: ReadonlyArray<Change>
  /** The query for the next page. With the order `asc` it is always there: it gets what happens later. Plain data: you may store it. */
  readonly next?: ChangeQuery & { readonly cursor: string }
  /** On the first page with the order `desc`: the query for what happens later. */
  readonly later?: ChangeQuery & { readonly cursor: string }
}

/** Every operation. Does not compile if core's list differs. */
const changeOperations = {
  createPet: "createPet",
  correctPet: "correctPet",
  removePet: "removePet",
  restorePet: "restorePet",
  createOrder: "createOrder",
  completeOrder: "completeOrder",
  cancelOrder: "cancelOrder",
  returnOrder: "returnOrder",
  changeOrder: "changeOrder",
  replaceCategory: "replaceCategory",
  removeCategory: "removeCategory",
} as const satisfies { readonly [Name in DomainChange["operation"]]: ChangeOperation }

const touched = object<Touched>({}, { pet: decodePet, order: decodeOrder, category: decodeCategory })

const command = object<Extract<ChangedBy, { command: string }>>({ command: text }, {})
const caller = object<Exclude<ChangedBy, { command: string }>>(
  { account: object({ id: text, name: text }, {}), key: object({ id: text }, { label: text }) },
  {},
)

export const decodeChange = object<Change>(
  { id: text, at: timestamp, operation: oneOf(changeOperations) },
  { by: (json) => command(json) ?? caller(json), requestId: text, before: touched, after: touched },
)
