/** How many pets there are. Experimental: it may change in a minor release of the service and of this package. */
import { members } from "./pet.js"

/**
 * How many pets there are of each status, without one, and in all.
 *
 * @experimental
 */
export interface Inventory {
  readonly available: number
  readonly pending: number
  readonly sold: number
  readonly withoutStatus: number
  /** The sum of the four. */
  readonly total: number
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** The counts of a response, or `undefined` if it holds none. Members the contract does not name are left out. */
export const decodeInventory = (json: unknown): Inventory | undefined => {
  const given = members(json)
  const [available, pending, sold] = [count(given["available"]), count(given["pending"]), count(given["sold"])]
  const [withoutStatus, total] = [count(given["withoutStatus"]), count(given["total"])]
  if (available === undefined || pending === undefined || sold === undefined) return undefined
  return withoutStatus === undefined || total === undefined ? undefined : { available, pending, sold, withoutStatus, total }
}
