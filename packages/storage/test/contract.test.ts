/** Every contract suite on every adapter, on the real thing. */
import {
  credentialRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  messageRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import { Effect } from "effect"
import { adapters, KeptMessages } from "./adapters.js"
import { onlyPortableStatements } from "./postgres-statements.js"

for (const { name, empty, emptyWithMessages } of adapters) {
  petRepositoryContract(name, empty)
  orderRepositoryContract(name, empty)
  inventoryRepositoryContract(name, empty)
  credentialRepositoryContract(name, empty)
  deprecatedCallRepositoryContract(name, empty)
  messageRepositoryContract(name, emptyWithMessages, Effect.flatten(KeptMessages))
}

// Last: it looks at what the suites above made the adapter send.
onlyPortableStatements()
