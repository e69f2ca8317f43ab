import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import { useCase } from "../use-case.js"
import type { Inventory } from "./inventory.js"
import { InventoryRepository } from "./inventory-repository.js"

/**
 * Counts the pets, by status and in total (specification, section 4.7). The counts are exact, and the time does not grow with
 * the catalogue.
 *
 * @experimental
 * @example
 * yield* createPet({ name: "Bello", categoryId: 7n })
 * yield* getInventory // { available: 0, pending: 0, sold: 0, withoutStatus: 1, total: 1 }
 */
export const getInventory: Effect.Effect<Inventory, StorageUnavailable, InventoryRepository> = /* @__PURE__ */ useCase(
  "getInventory",
  /* @__PURE__ */ Effect.flatMap(InventoryRepository, ({ read }) => read),
)
