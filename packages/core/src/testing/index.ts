/** One contract suite for each port, for vitest or another test runner. */
import "./vitest.js"

export {
  type ContractSuite,
  categoryRepositoryContract,
  changeRepositoryContract,
  credentialRepositoryContract,
  deploymentRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  type PetStores,
  petFreshnessContract,
  petRepositoryContract,
  type TestRunner,
  webhookRepositoryContract,
} from "./suites.js"
