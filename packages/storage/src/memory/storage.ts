/** Everything in the memory of the process: for tests and demonstrations. */
import { InventoryRepository, OrderRepository, PetRepository, Readiness } from "@petstore/core"
import { Context, Effect, Layer } from "effect"
import { memoryCredentialRepository } from "./credential-repository.js"
import { memoryDeploymentRepository } from "./deployment-repository.js"
import { memoryDeprecatedCallRepository } from "./deprecated-call-repository.js"
import { emptyCatalogue } from "./engine/catalogue.js"
import { memoryGuestDatabase } from "./guest.js"
import { memoryInventoryRepository } from "./inventory-repository.js"
import { memoryOrderRepository } from "./order-repository.js"
import { memoryPetRepository } from "./pet-repository.js"

const petsAndOrders = Layer.effectContext(
  Effect.sync(() => {
    const catalogue = emptyCatalogue()
    return Context.make(PetRepository, memoryPetRepository(catalogue)).pipe(
      Context.add(OrderRepository, memoryOrderRepository(catalogue)),
      Context.add(InventoryRepository, memoryInventoryRepository(catalogue)),
    )
  }),
)

const ready = Layer.succeed(Readiness, { check: Effect.void })

export const memoryStorage = Layer.mergeAll(
  petsAndOrders,
  memoryCredentialRepository,
  memoryGuestDatabase,
  memoryDeploymentRepository,
  memoryDeprecatedCallRepository,
  ready,
)
