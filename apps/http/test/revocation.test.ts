/** A recently used key is refused after its revocation or expiry (sentences 5.18, 5.19 and 5.27). */
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, run, TemporaryStore, until } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

/** The longest time, in ms, for which another process accepts a revoked key (sentence 5.18). */
const promisedMillis = 5_000

const store = new TemporaryStore()
let serving: Service

beforeAll(async () => {
  await petstore(store.environment, "accounts", "create", "caller")
  serving = await startService(store.environment)
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

const statusWith = async (key: string): Promise<number> => {
  const response = await fetch(`${serving.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })
  await response.text()
  return response.status
}

const isRefusedSoon = async (key: string): Promise<void> => {
  const fromMillis = performance.now()
  let askedAfterMillis: number
  let status: number
  do {
    await sleep(50)
    askedAfterMillis = performance.now() - fromMillis
    status = await statusWith(key)
  } while (status === 200 && askedAfterMillis < promisedMillis)
  expect({ askedAfterMillis, status }).toEqual({ askedAfterMillis: expect.any(Number), status: 401 })
  expect(await statusWith(key)).toBe(401)
}

it("the service refuses a key within 5 s after another process has revoked it, even if the key is in use", async () => {
  const { id, key } = await createKey(store.environment, "caller")
  expect(await statusWith(key)).toBe(200)
  await petstore(store.environment, "keys", "revoke", id)
  await isRefusedSoon(key)
})

it("the service refuses an account's keys within 5 s after another process has disabled it, until it is enabled", async () => {
  await petstore(store.environment, "accounts", "create", "leaving")
  const { key } = await createKey(store.environment, "leaving")
  expect(await statusWith(key)).toBe(200)
  const { disabledAt } = await petstore(store.environment, "accounts", "disable", "leaving")
  await isRefusedSoon(key)
  const listed = await run(store.environment, "accounts", "list")
  expect(listed.stdout.split("\n").filter((line) => line.endsWith("leaving"))).toEqual([
    expect.stringContaining(String(disabledAt)),
  ])
  const refused = await run(store.environment, "keys", "create", "--account", "leaving")
  expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([1, "", expect.stringContaining("is disabled")])
  await petstore(store.environment, "accounts", "enable", "leaving")
  expect(await statusWith(key)).toBe(200)
  const unknown = await run(store.environment, "accounts", "disable", "another")
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("There is no account")])
})

it("the service refuses an expired key at once, even if the key was used recently", async () => {
  const { key, expiresAt } = await createKey(store.environment, "caller", "--expires-in", "3s")
  expect(await statusWith(key)).toBe(200)
  await until(expiresAt ?? new Date())
  expect(await statusWith(key)).toBe(401)
})
