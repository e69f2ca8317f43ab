/** The number of pets by status, which a store keeps. */
import type { PetStatus } from "../pets/pet-status.js"

/**
 * The number of pets with each status, without one, and in all.
 *
 * @experimental
 */
export interface Inventory extends Readonly<Record<PetStatus, number>> {
  readonly withoutStatus: number
  /** The sum of the others. */
  readonly total: number
}

/**
 * Makes an inventory from counts by status, as a repository keeps them; `null` means without a status. An absent status has no
 * pets; counts of one status are added up.
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
