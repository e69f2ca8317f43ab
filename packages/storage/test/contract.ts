/** Every contract suite on adapters, on the real thing. A file for each engine runs it, side by side with the others. */
import {
  credentialRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  messageRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import { Effect } from "effect"
import { type Adapter, KeptMessages } from "./adapters.js"

export const contractsOn = (adapters: ReadonlyArray<Adapter>): void => {
  for (const { name, empty, emptyWithMessages } of adapters) {
    petRepositoryContract(name, empty)
    orderRepositoryContract(name, empty)
    inventoryRepositoryContract(name, empty)
    credentialRepositoryContract(name, empty)
    deprecatedCallRepositoryContract(name, empty)
    messageRepositoryContract(name, emptyWithMessages, Effect.flatten(KeptMessages))
  }
}
