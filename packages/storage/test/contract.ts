/** Runs the contract suites on the given adapters. Each engine has its own test file, so that the engines run in parallel. */
import { ChangeRepository, PetFreshness } from "@petstore/core"
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
} from "@petstore/core/testing"
import { Effect, Layer, Option } from "effect"
import { type Adapter, memoryAdapters, postgresAdapters, sqliteAdapters, sqljsAdapters, storeOf } from "./adapters.js"
import { petFreshness } from "./pet-freshness.js"

/** The adapters that have a `ChangeRepository`. */
const withChanges = [...memoryAdapters, ...sqliteAdapters, ...sqljsAdapters]

const changes = Layer.effect(ChangeRepository, Effect.map(Effect.serviceOption(ChangeRepository), Option.getOrThrow))

export const contractsOn = (adapters: ReadonlyArray<Adapter>): void => {
  for (const adapter of adapters) {
    const { name, lasting } = adapter
    const empty = storeOf(adapter)
    petRepositoryContract(name, empty, lasting && { lasting })
    if (!postgresAdapters.includes(adapter))
      petFreshnessContract(name, Layer.provideMerge(Layer.effect(PetFreshness, petFreshness), empty))
    orderRepositoryContract(name, empty)
    if (withChanges.includes(adapter)) changeRepositoryContract(name, Layer.provideMerge(changes, empty))
    inventoryRepositoryContract(name, empty)
    categoryRepositoryContract(name, empty)
    credentialRepositoryContract(name, empty)
    deploymentRepositoryContract(name, empty)
    deprecatedCallRepositoryContract(name, empty)
  }
}
