/** Every sentence of the specification that a client can try, against the built service. */
import { createKey, petstore, type Serving, startServing, TemporaryStore, until } from "@petstore/conformance/serving"
import { declareConformance, type Feature, type Target } from "@petstore/conformance/testing"
import { afterAll, beforeAll } from "vitest"

/** Features of the specification that this service has; each joins when it lands. */
const features: ReadonlyArray<Feature> = ["etag", "idempotency", "orders", "openapi", "docs"]

const store = new TemporaryStore()
let serving: Serving
let target: Target

beforeAll(async () => {
  const { environment } = store
  await petstore(environment, "accounts", "create", "first")
  await petstore(environment, "accounts", "create", "second")
  const { key } = await createKey(environment, "first")
  const second = await createKey(environment, "second")
  const expiring = await createKey(environment, "first", "--expires-in", "1s")
  const revoked = await createKey(environment, "first")
  await petstore(environment, "keys", "revoke", revoked.id)
  serving = await startServing(environment, "petstore", "serve")
  await until(expiring.expiresAt ?? new Date())
  const given = { secondKey: second.key, revokedKey: revoked.key, expiredKey: expiring.key }
  target = { baseUrl: serving.url, key, write: true, given }
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

declareConformance("the service", () => target, {
  features,
  elsewhere: { "8.3": "time-limits.test.ts, which waits half a minute beside the others" },
})
