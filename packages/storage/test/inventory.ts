/** Three pets, and their inventory, for tests of every engine. */
import { InventoryRepository, PetRepository } from "@petstore/core"
import { Effect } from "effect"

export const threePets = Effect.flatMap(PetRepository, ({ insert }) =>
  Effect.zipRight(
    insert({ name: "Bello", categoryId: 1n, status: "sold" }),
    Effect.zipRight(insert({ name: "Mia", categoryId: 1n, status: "sold" }), insert({ name: "Rex", categoryId: 1n })),
  ),
)

export const three = { available: 0, pending: 0, sold: 2, withoutStatus: 1, total: 3 }

export const inventory = Effect.flatMap(InventoryRepository, ({ read }) => read)
export const recount = Effect.flatMap(InventoryRepository, ({ recount }) => recount)
