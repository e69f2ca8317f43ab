/**
 * The public names of `@petstore/core/testing`: one contract suite for each port. Run it on every adapter, with vitest or
 * another test runner.
 */
export { categoryRepositoryContract } from "./category-repository-contract.js"
export { credentialRepositoryContract } from "./credential-repository-contract.js"
export { deploymentRepositoryContract } from "./deployment-repository-contract.js"
export { deprecatedCallRepositoryContract } from "./deprecated-call-repository-contract.js"
export { inventoryRepositoryContract } from "./inventory-repository-contract.js"
export { orderRepositoryContract } from "./order-repository-contract.js"
export { petFreshnessContract } from "./pet-freshness-contract.js"
export { petRepositoryContract } from "./pet-repository-contract.js"
export type { PetStores } from "./pet-repository-lasting.js"
export type { TestRunner } from "./runner.js"
