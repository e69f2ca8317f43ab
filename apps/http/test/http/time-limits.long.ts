/** The time limits for requests (sentence 8.3), with their default values. This test takes half a minute. */

import { declareConformance, type Target } from "@petstore/conformance/testing"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll } from "vitest"

const store = new TemporaryStore()
let serving: Service
let target: Target

beforeAll(async () => {
  await petstore(store.environment, "accounts", "create", "slow")
  const { key } = await createKey(store.environment, "slow")
  serving = await startService(store.environment)
  target = { baseUrl: serving.baseUrl, key, write: true, given: { patient: true } }
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

declareConformance("a slow client", () => target, { sections: ["8.3"] })
