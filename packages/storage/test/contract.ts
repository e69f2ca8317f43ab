/** Every contract suite on adapters, on the real thing. A file for each engine runs it, side by side with the others. */
import {
  credentialRepositoryContract,
  deploymentRepositoryContract,
  deprecatedCallRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"
import { type Adapter, Emptying } from "./adapters.js"

/** The store of each test: a new one, or one that is emptied before it. */
const storeOf = ({ empty, reusable }: Adapter): Adapter["empty"] => {
  if (reusable === undefined) return empty
  const store = ManagedRuntime.make(reusable)
  afterAll(() => store.dispose())
  return Layer.effectContext(
    Effect.promise(async () => {
      await store.runPromise(Effect.flatten(Emptying))
      return (await store.runtime()).context
    }),
  )
}

export const contractsOn = (adapters: ReadonlyArray<Adapter>): void => {
  for (const adapter of adapters) {
    const { name } = adapter
    const empty = storeOf(adapter)
    petRepositoryContract(name, empty)
    orderRepositoryContract(name, empty)
    inventoryRepositoryContract(name, empty)
    credentialRepositoryContract(name, empty)
    deploymentRepositoryContract(name, empty)
    deprecatedCallRepositoryContract(name, empty)
  }
}
