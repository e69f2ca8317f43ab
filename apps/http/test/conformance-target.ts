import { declareConformance, type Target } from "@petstore/conformance/testing"
import { createKey, type Environment, petstore, TemporaryStore, until } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { afterAll, beforeAll } from "vitest"

const limited = "conformance-limited.test.ts, which sets an origin and a rate limit"

/** Sentences that other tests cover, because they need different settings or a different app. */
export const triedElsewhere = {
  "4.4": "quickstart.test.ts",
  "8.3": "time-limits.test.ts, which shortens the limits",
  "13.7": limited,
  "13.3": limited,
  "13.8": limited,
  "14": limited,
}

/** Creates two accounts in a store, each with a key, and three more keys: a revoked, an expired and a read-only one. A third account is disabled. */
export const prepareStore = async (environment: Environment) => {
  await petstore(environment, "accounts", "create", "first")
  await petstore(environment, "accounts", "create", "second")
  const { key } = await createKey(environment, "first")
  const second = await createKey(environment, "second")
  const expiring = await createKey(environment, "first", "--expires-in", "1s")
  const revoked = await createKey(environment, "first")
  const readOnly = await createKey(environment, "first", "--read-only")
  await petstore(environment, "keys", "revoke", revoked.id)
  await petstore(environment, "accounts", "create", "third")
  const disabled = await createKey(environment, "third")
  await petstore(environment, "accounts", "disable", "third")
  await until(expiring.expiresAt ?? new Date())
  const given = {
    secondKey: second.key,
    revokedKey: revoked.key,
    expiredKey: expiring.key,
    disabledKey: disabled.key,
    readOnlyKey: readOnly.key,
  }
  return { key, write: true, given }
}

/** A service that clients reach directly or through a proxy. */
export type Reached = Pick<Service, "baseUrl" | "stop">

/** Tests every sentence that a client can verify, on a new store: a file, or the database that `newDatabase` creates. */
export const declareEverySentence = (
  name: string,
  start: (store: Pick<TemporaryStore, "directory" | "environment">) => Promise<Reached>,
  newDatabase?: () => Promise<string>,
): void => {
  const store = new TemporaryStore()
  let reached: Reached | undefined
  let target: Target

  beforeAll(async () => {
    const { directory } = store
    const environment = {
      ...store.environment,
      ...(newDatabase !== undefined && { DATABASE_URL: await newDatabase() }),
    }
    const prepared = await prepareStore(environment)
    reached = await start({ directory, environment })
    target = { ...prepared, baseUrl: reached.baseUrl }
  })

  afterAll(async () => {
    await reached?.stop()
    store.remove()
  })

  declareConformance(name, () => target, { elsewhere: triedElsewhere })
}
