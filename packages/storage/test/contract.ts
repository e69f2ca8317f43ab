/** Runs the contract suites on the given adapters. Each engine has its own test file, so that the engines run in parallel. */
import { PetFreshness } from "@petstore/core"
import {
  categoryRepositoryContract,
  changeRepositoryContract,
  credentialRepositoryContract,
  deploymentRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  petFreshnessContract,
  petRepositoryContract,
  webhookRepositoryContract,
} from "@petstore/core/testing"
import { Layer } from "effect"
import { type Adapter, postgresAdapters, storeOf } from "./adapters.js"
import { petFreshness } from "./pet-freshness.js"

export const contractsOn = (adapters: ReadonlyArray<Adapter>): void => {
  for (const adapter of adapters) {
    const { name, lasting } = adapter
    const empty = storeOf(adapter)
    petRepositoryContract(name, empty, lasting && { lasting })
    if (!postgresAdapters.includes(adapter))
      petFreshnessContract(name, Layer.provideMerge(Layer.effect(PetFreshness, petFreshness), empty))
    orderRepositoryContract(name, empty)
    changeRepositoryContract(name, empty)
    inventoryRepositoryContract(name, empty)
    categoryRepositoryContract(name, empty)
    credentialRepositoryContract(name, empty)
    deploymentRepositoryContract(name, empty)
    deprecatedCallRepositoryContract(name, empty)
    webhookRepositoryContract(name, empty)
  }
}
