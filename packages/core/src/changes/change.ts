/** What happened to the pets, orders and categories (specification, section 16). */
import { type Category, encodeCategory } from "../categories/category.js"
import type { AccountId, ApiKeyId } from "../credentials/account.js"
import { timestampText } from "../json/timestamp.js"
import { encodeOrder, type Order } from "../orders/order.js"
import { encodePet, type Pet, type PetId } from "../pets/pet.js"
import type { PetOrder } from "../pets/pet-search.js"

/** The operations that leave changes. Stores number them by their places here, so new ones go last. @experimental */
export const changeOperations = [
  "createPet",
  "correctPet",
  "removePet",
  "restorePet",
  "createOrder",
  "completeOrder",
  "cancelOrder",
  "returnOrder",
  "changeOrder",
  "replaceCategory",
  "removeCategory",
] as const

/** The name of an operation that leaves changes. @experimental */
export type ChangeOperation = (typeof changeOperations)[number]

/** Who made a change: an account with one of its API keys, or a command. @experimental */
export type ChangedBy =
  | {
      readonly account: { readonly id: AccountId; readonly name: string }
      readonly key: { readonly id: ApiKeyId; readonly label?: string }
    }
  | { readonly command: string }

/** The resources that an operation touched, before or after it. @experimental */
export interface Touched {
  readonly pet?: Pet
  readonly order?: Order
  readonly category?: Category
}

/** One change. @experimental */
export interface Change {
  /** Unique and stable: a reader that has seen it may drop a repetition. Has letters, digits, `-` and `_`. */
  readonly id: string
  readonly at: Date
  readonly operation: ChangeOperation
  /** Absent if another program made the change, such as SQL by hand. */
  readonly by?: ChangedBy
  readonly requestId?: string
  /** Absent if the operation made the resource. */
  readonly before?: Touched
  /** Absent if the operation removed the resource. */
  readonly after?: Touched
}

/**
 * A place between two changes, as text that only its adapter reads: letters, digits, `-` and `_`. A place is never wrong: in a
 * store that was copied, restored or replaced, it is either the same place or refused.
 *
 * @experimental
 */
export type ChangePlace = string

/** Changes in the order of the selection, and the place behind them. @experimental */
export interface ChangesFound {
  readonly changes: ReadonlyArray<Change>
  /**
   * From the oldest, there always is a place, also if no changes were found. Every change that is committed later is behind it.
   * From the newest, the place is absent once the oldest kept change was given.
   */
  readonly next?: ChangePlace | undefined
  /** From the newest, and without a place: the place behind the newest change. A list from the oldest goes on there. */
  readonly end?: ChangePlace | undefined
}

/** Which changes to list, other than where to begin. @experimental */
export interface ChangeFilters {
  /** Only changes of this pet and its orders. */
  readonly petId?: PetId | undefined
  /** From the oldest if absent. */
  readonly order?: PetOrder | undefined
}

/** The pet that a change is about, if it is about one. */
export const petIdOf = ({ pet, order }: Touched): Pet["id"] | undefined => pet?.id ?? order?.petId

/** Encodes one side of a change as JSON text. */
export const encodeTouched = ({ pet, order, category }: Touched): string => {
  let members = pet === undefined ? "" : `"pet":${encodePet(pet)},`
  if (order !== undefined) members += `"order":${encodeOrder(order)},`
  if (category !== undefined) members += `"category":${encodeCategory(category)},`
  return `{${members.slice(0, -1)}}`
}

/** Encodes a change as JSON text, with all digits of 64-bit integers. @experimental */
export const encodeChange = ({ id, at, operation, by, requestId, before, after }: Change): string => {
  const head = JSON.stringify({ id, at: timestampText(at), operation, by, requestId }).slice(0, -1)
  const from = before === undefined ? "" : `,"before":${encodeTouched(before)}`
  const to = after === undefined ? "" : `,"after":${encodeTouched(after)}`
  return `${head}${from}${to}}`
}

/** Encodes changes as one JSON array. @experimental */
export const encodeChanges = (changes: ReadonlyArray<Change>): string => `[${changes.map(encodeChange).join(",")}]`
