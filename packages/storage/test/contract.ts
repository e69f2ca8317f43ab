/**
 * Runs every contract suite on real adapters. Each engine has a test file that calls this, so that the engines run in parallel.
 */
import {
  categoryRepositoryContract,
  credentialRepositoryContract,
  deploymentRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import { type Adapter, storeOf } from "./adapters.js"

export const contractsOn = (adapters: ReadonlyArray<Adapter>): void => {
  for (const adapter of adapters) {
    const { name, lasting } = adapter
    const empty = storeOf(adapter)
    petRepositoryContract(name, empty, lasting && { lasting })
    orderRepositoryContract(name, empty)
    inventoryRepositoryContract(name, empty)
    categoryRepositoryContract(name, empty)
    credentialRepositoryContract(name, empty)
    deploymentRepositoryContract(name, empty)
    deprecatedCallRepositoryContract(name, empty)
  }
}
