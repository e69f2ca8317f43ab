/** The number of pets, and its JSON. Experimental: it may change in a minor release of the service and of this package. */
import { members } from "./pet.js"

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

/** Decodes the counts. Returns `undefined` if the JSON is not an inventory. Unknown members are left out. */
export const decodeInventory = (json: unknown): Inventory | undefined => {
  const given = members(json)
  const [available, pending, sold] = [count(given["available"]), count(given["pending"]), count(given["sold"])]
  const [withoutStatus, total] = [count(given["withoutStatus"]), count(given["total"])]
  if (available === undefined || pending === undefined || sold === undefined) return undefined
  return withoutStatus === undefined || total === undefined ? undefined : { available, pending, sold, withoutStatus, total }
}
