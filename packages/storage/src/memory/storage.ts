/** Every repository in the memory of the process: for tests and demonstrations. */
import {
  CredentialRepository,
  DeploymentRepository,
  DeprecatedCallRepository,
  InventoryRepository,
  OrderRepository,
  PetRepository,
  Readiness,
} from "@petstore/core"
import { Context, Effect, Layer } from "effect"
import { GuestDatabase } from "../guest.js"
import type { Repositories } from "../repositories.js"
import { memoryCredentialRepository } from "./credential-repository.js"
import { memoryDeploymentRepository } from "./deployment-repository.js"
import { memoryDeprecatedCallRepository } from "./deprecated-call-repository.js"
import { emptyCatalogue } from "./engine/catalogue.js"
import { memoryGuestDatabase } from "./guest.js"
import { memoryInventoryRepository } from "./inventory-repository.js"
import { memoryOrderRepository } from "./order-repository.js"
import { memoryPetRepository } from "./pet-repository.js"

/** Opens a store of its own each time that it is built. */
export const memoryStorage: Layer.Layer<Repositories> = Layer.effectContext(
  Effect.sync(() => {
    const catalogue = emptyCatalogue()
    return Context.empty().pipe(
      Context.add(PetRepository, memoryPetRepository(catalogue)),
      Context.add(OrderRepository, memoryOrderRepository(catalogue)),
      Context.add(InventoryRepository, memoryInventoryRepository(catalogue)),
      Context.add(CredentialRepository, memoryCredentialRepository()),
      Context.add(DeploymentRepository, memoryDeploymentRepository()),
      Context.add(DeprecatedCallRepository, memoryDeprecatedCallRepository()),
      Context.add(GuestDatabase, memoryGuestDatabase()),
      Context.add(Readiness, { check: Effect.void }),
    )
  }),
)
