/** Tests the sentences about cross-origin requests and the rate limit against the built service with both settings. */
import { declareConformance, type Target } from "@petstore/conformance/testing"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll } from "vitest"

const origin = "https://shop.example"

const store = new TemporaryStore()
let serving: Service
let target: Target

beforeAll(async () => {
  const environment = { ...store.environment, CORS_ORIGINS: origin, RATE_LIMIT: "200" }
  await petstore(environment, "accounts", "create", "first")
  const { key } = await createKey(environment, "first")
  const second = await createKey(environment, "first")
  serving = await startService(environment)
  target = { baseUrl: serving.baseUrl, key, write: true, given: { secondKey: second.key, origin } }
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

declareConformance("the service with CORS and a rate limit", () => target, { sections: ["13", "14"] })
