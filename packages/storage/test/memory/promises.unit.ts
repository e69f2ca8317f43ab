/** Ports of promises keep what the ports promise, and /promise opens them. */
import { promiseRepositories } from "@petstore/core/layer"
import { openRepositories, storageUnavailable } from "@petstore/core/promise"
import {
  categoryRepositoryContract,
  changeRepositoryContract,
  credentialRepositoryContract,
  inventoryRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import { expect, it } from "vitest"
import { openMemoryPromises } from "./promises.js"

const store = promiseRepositories(openMemoryPromises)

petRepositoryContract("promises", store)
orderRepositoryContract("promises", store)
changeRepositoryContract("promises", store)
inventoryRepositoryContract("promises", store)
categoryRepositoryContract("promises", store)
credentialRepositoryContract("promises", store)

it("openRepositories opens a store of promises with all operations, and closes it", async () => {
  let closed = 0
  const petstore = await openRepositories(async () => {
    const ports = await openMemoryPromises()
    const close = async () => {
      closed += 1
      await ports.close?.()
    }
    return { ...ports, close }
  })
  const bello = await petstore.createPet({ name: "Bello", categoryId: 7n, status: "available" })
  if (!bello.ok) throw new Error(bello.error.message)
  expect(await petstore.orders.create({ petId: bello.value.id })).toMatchObject({ ok: true, value: { status: "placed" } })
  expect(await petstore.orders.create({ petId: bello.value.id })).toMatchObject({ error: { code: "pet_not_available" } })
  expect(await petstore.categories.replace(7n, { name: "Dogs" })).toMatchObject({ ok: true, isNew: true })
  expect(await petstore.getInventory()).toMatchObject({ value: { pending: 1, total: 1 } })
  expect(await petstore.listChanges()).toMatchObject({ value: { items: [{ operation: "createPet" }, {}, {}] } })
  await petstore.accounts.create("shop")
  const key = await petstore.apiKeys.create({ accountName: "shop", deployment: "development" })
  expect(key.ok && (await petstore.apiKeys.authenticate(key.value.secret, "development")).ok).toBe(true)
  await petstore.close()
  expect(closed).toBe(1)
})

it("a port that is unavailable fails, and a port with a bug rejects with its own error", async () => {
  const bug = new TypeError("my own bug")
  const petstore = await openRepositories(async () => ({
    ...(await openMemoryPromises()),
    inventory: { read: () => Promise.reject(storageUnavailable("gone")), recount: () => Promise.reject(bug) },
    categories: {
      ...(await openMemoryPromises()).categories,
      list: () => {
        throw bug
      },
    },
  }))
  expect(await petstore.getInventory()).toMatchObject({ error: { code: "storage_unavailable" }, cause: "gone" })
  await expect(petstore.categories.list()).rejects.toBe(bug)
  await petstore.close()
})
