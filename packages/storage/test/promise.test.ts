/** `@petstore/storage/promise`: an entire store for callers without Effect. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createPet, StorageUnavailable } from "@petstore/core"
import { petstoreOf } from "@petstore/core/layer"
import { type Change, isListFailed } from "@petstore/core/promise"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { nodeCryptography } from "../src/node-cryptography.js"
import { backupStore, distributeStore, openPetstore, restoreStore } from "../src/promise.js"
import { wrapRepositories } from "../src/repositories.js"
import { storage } from "../src/storage.js"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "petstore-promise-"))
})
afterAll(() => rm(folder, { recursive: true }))

const inMemory = () => openPetstore("memory:", { migrate: true })
const bello = { name: "Bello", categoryId: 2n ** 53n + 1n, status: "available" } as const

it("the promise API treats undefined options as absent", async () => {
  const [file, copy, restored] = ["options.db", "options-copy.db", "options-restored.db"].map((name) => join(folder, name))
  const petstore = await openPetstore(`sqlite:${file}`, { migrate: true, mustExist: undefined, postgres: undefined })
  await petstore.createPet(bello)
  const contents = await backupStore(`sqlite:${file}`, String(copy), { replace: undefined })
  await petstore.close()
  const options = { replace: false, onStep: undefined, withKeys: undefined, deployment: undefined, as: undefined }
  expect(await restoreStore(`sqlite:${restored}`, String(copy), options)).toMatchObject({
    pets: contents.pets,
    movedAside: undefined,
  })
  const wrapped = wrapRepositories(storage("memory:", { migrate: true, appTables: undefined, onMade: undefined }), {
    pets: undefined,
  })
  expect(await Effect.runPromise(Effect.provide(createPet(bello), wrapped))).toMatchObject(bello)
})

it("the promise API orders a pet once per key, completes the order, and counts the pets", async () => {
  await using petstore = await inMemory()
  await petstore.createPet(bello)
  const first = await petstore.orders.createOnce({ petId: 1n }, "order-7")
  expect(first).toMatchObject({ ok: true, value: { id: 1n, petId: 1n, status: "placed" } })
  expect(await petstore.orders.createOnce({ petId: 1n }, "order-7")).toStrictEqual({ ...first, isNew: false })
  expect(await petstore.orders.createOnce({ petId: 2n }, "order-7")).toMatchObject({
    ok: false,
    error: { code: "idempotency_key_reused" },
  })
  expect(await petstore.orders.create({ petId: 1n })).toMatchObject({ ok: false, error: { code: "pet_not_available" } })
  expect(await petstore.orders.create({ petId: 2n })).toMatchObject({ ok: false, error: { code: "pet_not_found" } })
  expect(await petstore.orders.create({ petId: 2n ** 70n })).toMatchObject({ ok: false, error: { code: "invalid_body" } })
  expect(await petstore.orders.complete(1n)).toMatchObject({ ok: true, value: { status: "completed" } })
  expect(await petstore.orders.cancel(1n)).toMatchObject({ ok: false, error: { code: "order_closed" } })
  expect(await petstore.orders.get(1n)).toMatchObject({ ok: true, value: { status: "completed" } })
  expect(await petstore.orders.get(2n ** 70n)).toMatchObject({ ok: false, error: { code: "order_not_found" } })
  expect(await petstore.getPet(1n)).toMatchObject({ ok: true, value: { status: "sold" } })
  expect(await petstore.getInventory()).toStrictEqual({
    ok: true,
    value: { available: 0, pending: 0, sold: 1, withoutStatus: 0, total: 1 },
  })
})

it("the promise API brings a removed pet back", async () => {
  await using petstore = await inMemory()
  const created = await petstore.createPet(bello)
  await petstore.removePet(1n)
  expect(await petstore.restorePet(1n)).toStrictEqual(created)
  expect(await petstore.getPet(1n)).toStrictEqual(created)
  expect(await petstore.restorePet(2n)).toMatchObject({ ok: false, error: { code: "pet_not_found" } })
})

it("the promise API notes something on an order, and returns the order", async () => {
  await using petstore = await inMemory()
  await petstore.createPet(bello)
  const noted = { petId: 1n, note: "for Ada" }
  expect(await petstore.orders.createOnce(noted, "order-7")).toMatchObject({ ok: true, value: { note: "for Ada" } })
  const other = await petstore.orders.createOnce({ ...noted, note: "for Grace" }, "order-7")
  expect(other).toMatchObject({ ok: false, error: { code: "idempotency_key_reused" } })
  expect(await petstore.orders.return(1n)).toMatchObject({ ok: false, error: { code: "order_not_completed" } })
  await petstore.orders.complete(1n)
  const isOf = (name: string) => (order: { readonly note?: string }) => order.note === `for ${name}`
  expect(await petstore.orders.change(1n, { note: "x" }, isOf("Grace"))).toMatchObject({ error: { code: "precondition_failed" } })
  expect(await petstore.orders.change(1n, { note: "x\0" })).toMatchObject({ error: { code: "invalid_body" } })
  const changed = await petstore.orders.change(1n, { note: "collected" }, isOf("Ada"))
  expect(changed).toMatchObject({ ok: true, value: { note: "collected", status: "completed" } })
  expect(await petstore.orders.return(1n)).toMatchObject({ ok: true, value: { note: "collected", status: "returned" } })
  expect(await petstore.getPet(1n)).toMatchObject({ ok: true, value: { status: "available" } })
  const listed = await petstore.orders.list({ order: "desc", status: "returned" })
  expect(listed).toMatchObject({ ok: true, value: { items: [{ id: 1n, status: "returned" }] } })
})

it("the promise API lists the orders with one status page by page, and iterates over all orders", async () => {
  await using petstore = await inMemory()
  for (let count = 1n; count <= 3n; count += 1n) {
    await petstore.createPet(bello)
    await petstore.orders.create({ petId: count })
  }
  await petstore.orders.cancel(2n)
  const page = await petstore.orders.list({ status: "placed", limit: 1 })
  expect(page).toMatchObject({ ok: true, value: { items: [{ id: 1n }], next: { status: "placed", limit: 1 } } })
  expect(await petstore.orders.list(page.ok ? page.value.next : undefined)).toMatchObject({ value: { items: [{ id: 3n }] } })
  const ids: Array<bigint> = []
  for await (const { id } of petstore.orders.listAll()) ids.push(id)
  expect(ids).toStrictEqual([1n, 2n, 3n])
})

const operationsOf = async (changes: AsyncIterable<Change>, count: number) => {
  const seen: Array<string> = []
  for await (const { operation, after, before } of changes) {
    if (seen.push(`${operation} ${(after ?? before)?.pet?.name}`) === count) break
  }
  return seen
}

it("the promise API lists changes page by page, and follows them from a cursor, in order and each once", async () => {
  await using petstore = await inMemory()
  const names = Array.from({ length: 205 }, (_, index) => `createPet Pet ${index}`)
  for (let count = 0; count < 205; count += 1) await petstore.createPet({ name: `Pet ${count}`, categoryId: 1n })
  expect(await petstore.listChanges({ order: "desc", limit: 1 })).toMatchObject({
    ok: true,
    value: { items: [{ after: { pet: { name: "Pet 204" } } }], later: { limit: 1 } },
  })
  const feed = petstore.changes()
  expect(feed.cursor).toBeUndefined()
  expect(await operationsOf(feed, 205)).toEqual(names)
  // The cursor is behind the pages that were finished.
  const resumed = petstore.changes({ cursor: feed.cursor })
  const following = operationsOf(resumed, 7)
  await expect.poll(() => resumed.cursor).not.toBe(feed.cursor)
  await petstore.correctPet(205n, { name: "Last" })
  await petstore.removePet(205n)
  expect(await following).toEqual([...names.slice(200), "correctPet Last", "removePet Last"])
})

it("the promise API follows the changes of one pet from now on, until a signal, and throws why it cannot begin", async () => {
  await using petstore = await inMemory()
  await petstore.createPet(bello)
  const stop = new AbortController()
  const feed = petstore.within(stop.signal).changes({ from: "now", petId: 1n })
  const changes = feed[Symbol.asyncIterator]()
  const first = changes.next()
  await expect.poll(() => feed.cursor).toBeDefined()
  await petstore.createPet(bello)
  await petstore.removePet(1n)
  expect(await first).toMatchObject({ value: { operation: "removePet", before: { pet: { id: 1n } } } })
  const second = changes.next()
  stop.abort("enough")
  await expect(second).rejects.toBe("enough")
  const thrown: unknown = await petstore
    .changes({ cursor: "x" })
    [Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error)
  expect(isListFailed(thrown) && thrown.cause.error.code).toBe("invalid_parameter")
})

it("the promise API goes on to follow changes after the database was unavailable, and ends after close", async () => {
  let isAway = false
  const wrapped = wrapRepositories(storage("memory:", { migrate: true }), {
    changes: (changes) => ({
      ...changes,
      list: (request) => (isAway ? new StorageUnavailable({ cause: "away" }) : changes.list(request)),
    }),
  })
  const petstore = await petstoreOf(Layer.merge(wrapped, nodeCryptography))
  const feed = petstore.changes()
  const changes = feed[Symbol.asyncIterator]()
  await petstore.createPet(bello)
  expect(await changes.next()).toMatchObject({ value: { operation: "createPet" } })
  isAway = true
  const second = changes.next()
  expect(await Promise.race([second, sleep(1_200, "waiting")])).toBe("waiting")
  await petstore.removePet(1n)
  isAway = false
  expect(await second).toMatchObject({ value: { operation: "removePet" } })
  const third = changes.next()
  await petstore.close()
  await expect(third).rejects.toThrow("The store is closed.")
})

it("the promise API creates an account and an API key, and authenticates the key", async () => {
  await using petstore = await inMemory()
  const account = await petstore.accounts.create("Ada's shop")
  expect(account).toMatchObject({ ok: true, value: { name: "Ada's shop" } })
  expect(await petstore.accounts.list()).toStrictEqual({ ok: true, value: [account.ok && account.value] })
  const made = { accountName: "Ada's shop", deployment: "staging", lifetimeMillis: 60_000, label: "till" } as const
  const created = await petstore.apiKeys.create(made)
  if (!created.ok) throw new Error(created.error.message)
  const { apiKey, secret } = created.value
  expect(apiKey).toStrictEqual({
    id: expect.stringMatching(/^key_\w{16}$/),
    accountId: account.ok && account.value.id,
    deployment: "staging",
    createdAt: expect.any(Date),
    expiresAt: new Date(apiKey.createdAt.getTime() + 60_000),
    revokedAt: undefined,
    lastUsedOn: undefined,
    label: "till",
    readOnly: false,
  })
  expect(await petstore.apiKeys.list()).toStrictEqual({ ok: true, value: [apiKey] })
  const { id, accountId, label, expiresAt } = apiKey
  expect(await petstore.me(apiKey)).toStrictEqual({
    ok: true,
    value: {
      account: { id: accountId, name: "Ada's shop" },
      key: { id, label, readOnly: false, expiresAt },
      deployment: "staging",
    },
  })
  expect(await petstore.apiKeys.authenticate(secret, "staging")).toMatchObject({ ok: true, value: { id: apiKey.id } })
  expect(await petstore.apiKeys.authenticate(secret, "production")).toMatchObject({
    ok: false,
    error: { code: "invalid_credential", status: 401 },
  })
})

it("the promise API rotates and revokes API keys", async () => {
  await using petstore = await inMemory()
  await petstore.accounts.create("shop")
  const created = await petstore.apiKeys.create({ accountName: "shop", deployment: "development", readOnly: true })
  if (!created.ok) throw new Error(created.error.message)
  const { id, createdAt } = created.value.apiKey
  const rotated = await petstore.apiKeys.rotate(id, { overlapMillis: 60_000 })
  if (!rotated.ok) throw new Error(rotated.error.message)
  const { former, apiKey, secret } = rotated.value
  expect([former.id, former.readOnly, apiKey.readOnly]).toStrictEqual([id, true, true])
  expect(former.expiresAt?.getTime()).toBeGreaterThanOrEqual(createdAt.getTime() + 60_000)
  expect(await petstore.apiKeys.authenticate(secret, "development")).toMatchObject({ ok: true, value: { id: apiKey.id } })
  expect(await petstore.apiKeys.revoke(apiKey.id)).toMatchObject({ ok: true, value: { revokedAt: expect.any(Date) } })
  expect(await petstore.apiKeys.authenticate(secret, "development")).toMatchObject({ error: { code: "invalid_credential" } })
  expect(await petstore.apiKeys.rotate(apiKey.id, { overlapMillis: 0 })).toStrictEqual({
    ok: false,
    error: { code: "api_key_inactive", message: `The API key "${apiKey.id}" is revoked or expired.` },
    problems: [],
    cause: undefined,
  })
})

it("the promise API reports why it refuses accounts and API keys", async () => {
  await using petstore = await inMemory()
  await petstore.accounts.create("shop")
  const development = { accountName: "shop", deployment: "development" } as const
  for (const [answer, code] of [
    [petstore.accounts.create("shop"), "account_name_taken"],
    [petstore.accounts.create(" "), "invalid_parameter"],
    [petstore.apiKeys.create({ ...development, accountName: "missing" }), "account_not_found"],
    [petstore.apiKeys.create({ ...development, label: "" }), "invalid_parameter"],
    // A JavaScript caller can pass any type.
    [petstore.apiKeys.create({ ...development, readOnly: "yes" as unknown as boolean }), "invalid_parameter"],
    [petstore.apiKeys.rotate("key_of_nobody", { overlapMillis: 0 }), "api_key_not_found"],
    [petstore.apiKeys.revoke("key_of_nobody"), "api_key_not_found"],
  ] as const) {
    expect(await answer).toMatchObject({ ok: false, error: { code } })
  }
})

it("the promise API stores pets in a file, backs up the file, and creates a store from the backup", async () => {
  const file = (name: string) => join(folder, `${name}.db`)
  const [store, copy, restored] = [file("store"), file("copy"), file("restored")]
  {
    await using petstore = await openPetstore(`sqlite:${store}`, { migrate: true })
    await petstore.createPet(bello)
    expect(await backupStore(`sqlite:${store}`, copy)).toMatchObject({ pets: 1n })
  }
  await expect(backupStore(`sqlite:${store}`, copy)).rejects.toThrow(/exists|is there/)
  await restoreStore(`sqlite:${restored}`, copy, { replace: false })
  await using petstore = await openPetstore(`sqlite:${restored}`, { migrate: false, mustExist: true })
  expect(await petstore.getPet(1n)).toStrictEqual({ ok: true, value: { id: 1n, ...bello } })
})

it("openPetstore rejects with the reason why a store cannot be opened", async () => {
  const missing = openPetstore(`sqlite:${join(folder, "missing.db")}`, { migrate: false, mustExist: true })
  await expect(missing).rejects.toMatchObject({ name: "StorageNotOpened", message: expect.stringContaining("missing.db") })
  await expect(openPetstore("mysql://localhost", { migrate: true })).rejects.toThrow("Not a database URL: expected postgres://")
  const failure = await Effect.runPromise(Effect.flip(Layer.launch(storage("mysql://localhost", { migrate: true }))))
  expect(failure).toMatchObject({
    _tag: "StorageNotOpened",
    message: expect.stringMatching(/^Not a database URL: expected postgres:/),
  })
  // Loggers write what `JSON.stringify` returns.
  expect(JSON.parse(JSON.stringify(failure))).toMatchObject({ _tag: "StorageNotOpened", message: failure.message })
})

it("distributeStore rejects with the reason why a store cannot be distributed", async () => {
  await expect(distributeStore(`sqlite:${join(folder, "one.db")}`, { shards: 4 })).rejects.toMatchObject({
    name: "StorageNotOpened",
    message: expect.stringContaining("Only a PostgreSQL store can be distributed"),
  })
})

it("the promise API sets category names conditionally, and removes them", async () => {
  await using petstore = await inMemory()
  const { categories } = petstore
  const dogs = { id: 7n, name: "Dogs" }
  expect(await categories.replace(7n, { name: "Dogs" }, (present) => present === undefined)).toStrictEqual({
    ok: true,
    value: dogs,
    isNew: true,
  })
  expect(await categories.replace(7n, { name: "Dogs" })).toStrictEqual({ ok: true, value: dogs, isNew: false })
  expect(await categories.replace(7n, { name: "Cats" }, (present) => present === undefined)).toMatchObject({
    error: { code: "precondition_failed" },
  })
  expect(await categories.replace(7n, { name: " " })).toMatchObject({ error: { code: "invalid_body" } })
  expect(await categories.replace(2n ** 63n, { name: "Dogs" })).toMatchObject({ error: { code: "category_not_found" } })
  expect(await categories.list({ limit: 1 })).toStrictEqual({ ok: true, value: { items: [dogs] } })
  for await (const category of categories.listAll()) expect(category).toStrictEqual(dogs)
  expect(await categories.remove(7n, (present) => present?.name === "Dogs")).toStrictEqual({ ok: true, value: dogs })
  expect(await categories.get(7n)).toMatchObject({ error: { code: "category_not_found" } })
})

it("openPetstore refuses to open a store without the option migrate", async () => {
  // JavaScript callers can omit the option.
  const given: ReadonlyArray<never> = JSON.parse("[null, {}]")
  for (const options of given) {
    await expect(openPetstore("memory:", options)).rejects.toThrow("The option migrate is missing: { migrate: true } creates")
  }
})
