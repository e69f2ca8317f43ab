/** Implements all repositories in memory, for tests and demonstrations. */
import { PetFreshness } from "@petstore/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AppTable } from "../app-table.js"
import { type Repositories, repositoriesOf } from "../repositories.js"
import type { StorageNotOpened } from "../storage-not-opened.js"
import { memoryAppDatabase } from "./app-table.js"
import { memoryCategoryRepository } from "./category-repository.js"
import { memoryChangeRepository } from "./change-repository.js"
import { memoryCredentialRepository } from "./credential-repository.js"
import { memoryDeploymentRepository } from "./deployment-repository.js"
import { memoryDeprecatedCallRepository } from "./deprecated-call-repository.js"
import type { Catalogue } from "./engine/catalogue.js"
import { History } from "./engine/history.js"
import { memoryInventoryRepository } from "./inventory-repository.js"
import { memoryOrderRepository } from "./order-repository.js"
import { memoryPetFreshness } from "./pet-freshness.js"
import { memoryPetRepository } from "./pet-repository.js"
import { memoryWebhookRepository } from "./webhook-repository.js"

/** Every build of the layer opens a new store. */
export const memoryStorage = (tables: ReadonlyArray<AppTable>): Layer.Layer<Repositories, StorageNotOpened> =>
  Layer.scopedContext(
    Effect.map(memoryAppDatabase(tables), (appDatabase) => {
      const catalogue: Catalogue = { pets: [], orders: [], reserved: new Set(), changes: 0, history: new History() }
      const credentials = memoryCredentialRepository()
      const repositories = repositoriesOf({
        pets: memoryPetRepository(catalogue),
        orders: memoryOrderRepository(catalogue),
        inventory: memoryInventoryRepository(catalogue),
        categories: memoryCategoryRepository(catalogue),
        changes: memoryChangeRepository(catalogue, credentials),
        credentials,
        deployment: memoryDeploymentRepository(),
        deprecatedCalls: memoryDeprecatedCallRepository(),
        webhooks: memoryWebhookRepository(),
        appDatabase,
        readiness: { check: Effect.void },
      })
      return Context.add(repositories, PetFreshness, memoryPetFreshness(catalogue))
    }),
  )
