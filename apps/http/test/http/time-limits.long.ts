/** The time limits of the wire (sentence 8.3), as they are if nobody sets them: they take half a minute. */

import { declareConformance, type Target } from "@petstore/conformance/testing"
import { createKey, petstore, type Serving, startServing, TemporaryStore } from "@petstore/harness/serving"
import { afterAll, beforeAll } from "vitest"

const store = new TemporaryStore()
let serving: Serving
let target: Target

beforeAll(async () => {
  await petstore(store.environment, "accounts", "create", "slow")
  const { key } = await createKey(store.environment, "slow")
  serving = await startServing(store.environment, "petstore", "serve")
  target = { baseUrl: serving.url, key, write: true, given: { patient: true } }
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

declareConformance("a slow client", () => target, { features: [], sections: ["8.3"] })
