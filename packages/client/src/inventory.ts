/** The number of pets, and its JSON. Experimental: it may change in a minor release of the service and of this package. */
import { object } from "./fields.js"

/** The number of pets with each status, without a status, and in total. @experimental */
export interface Inventory {
  readonly available: number
  readonly pending: number
  readonly sold: number
  readonly withoutStatus: number
  /** The sum of the other four numbers. */
  readonly total: number
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

export const decodeInventory = object<Inventory>(
  { available: count, pending: count, sold: count, withoutStatus: count, total: count },
  {},
)
