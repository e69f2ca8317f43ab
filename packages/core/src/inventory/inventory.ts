/** How many pets there are, by status: what a store can tell without counting. */
import type { PetStatus } from "../pets/pet-status.js"

/**
 * How many pets have each status, how many have none, and how many there are in all.
 *
 * @experimental
 */
export interface Inventory extends Readonly<Record<PetStatus, number>> {
  readonly withoutStatus: number
  /** The sum of the others. */
  readonly total: number
}

/**
 * The inventory of counts by status, as a repository keeps them; `null` stands for no status.
 * A status that is not given has no pets; counts of one status add up.
 *
 * @experimental
 */
export const inventoryOf = (counts: Iterable<readonly [status: PetStatus | null, pets: number]>): Inventory => {
  const inventory = { available: 0, pending: 0, sold: 0, withoutStatus: 0, total: 0 }
  for (const [status, pets] of counts) {
    inventory[status ?? "withoutStatus"] += pets
    inventory.total += pets
  }
  return inventory
}
