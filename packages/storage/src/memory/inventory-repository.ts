/** Counting in memory is cheap, so no counts are stored. */
import { InventoryRepository, inventoryOf } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { Catalogue } from "./engine/catalogue.js"

export const memoryInventoryRepository = ({ pets }: Catalogue) => {
  const read = Effect.sync(() => inventoryOf(pets.flatMap((pet) => (pet === undefined ? [] : [[pet.status ?? null, 1]]))))
  return InventoryRepository.of({ read, recount: Effect.map(read, (inventory) => ({ kept: inventory, counted: inventory })) })
}
