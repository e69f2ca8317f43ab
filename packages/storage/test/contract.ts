/** Every contract suite on adapters, on the real thing. A file for each engine runs it, side by side with the others. */
import {
  credentialRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import type { Adapter } from "./adapters.js"

export const contractsOn = (adapters: ReadonlyArray<Adapter>): void => {
  for (const { name, empty } of adapters) {
    petRepositoryContract(name, empty)
    orderRepositoryContract(name, empty)
    inventoryRepositoryContract(name, empty)
    credentialRepositoryContract(name, empty)
    deprecatedCallRepositoryContract(name, empty)
  }
}
