import type { PetStatus } from "../pets/pet.js"

/** The number of pets with each status, without a status, and in total. @experimental */
export interface Inventory extends Readonly<Record<PetStatus, number>> {
  readonly withoutStatus: number
  /** The sum of the other counts. */
  readonly total: number
}

/** Makes an inventory: adds up the counts by status (`null` means no status). Missing counts are 0. @experimental */
export const inventoryOf = (counts: Iterable<readonly [status: PetStatus | null, pets: number]>): Inventory => {
  const inventory = { available: 0, pending: 0, sold: 0, withoutStatus: 0, total: 0 }
  for (const [status, pets] of counts) {
    inventory[status ?? "withoutStatus"] += pets
    inventory.total += pets
  }
  return inventory
}
