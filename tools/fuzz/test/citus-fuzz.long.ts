/** Fuzzes the service on tables that Citus distributes over two workers. */
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"
import { newCitusDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { fuzz } from "../src/fuzz.ts"
import { fuzzStore } from "../src/store-fuzz.ts"

it("the service on Citus conforms to the contract for any request, and agrees with a model of the store", async () => {
  const store = new TemporaryStore()
  const environment = {
    ...store.environment,
    DATABASE_URL: await newCitusDatabase(),
  }
  await petstore(environment, "migrate", "--distribute")
  await petstore(environment, "accounts", "create", "fuzz")
  const { key } = await createKey(environment, "fuzz")
  const { key: readOnlyKey } = await createKey(environment, "fuzz", "--read-only")
  const serving = await startService(environment)
  try {
    const { sent, failure } = await fuzz({ baseUrl: serving.baseUrl, key, requests: 2000, seed: 13 }, () => {})
    expect(failure).toBeUndefined()
    expect(sent).toBeGreaterThanOrEqual(2000)
    expect(await fuzzStore({ baseUrl: serving.baseUrl, key, readOnlyKey, sequences: 20, seed: 17 })).toBeUndefined()
  } finally {
    await serving.stop()
    store.remove()
  }
})
