/** The options work in TanStack Query itself, with the real service. */
import { createClient, isPetstoreError } from "@petstore/client"
import { TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { dehydrate, hydrate, MutationObserver, QueryClient } from "@tanstack/query-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { fromText, petstoreQueries, toText } from "./petstore-queries.ts"

const store = new TemporaryStore()
let service: Service
beforeAll(async () => {
  service = await startService(store.environment)
})
afterAll(async () => {
  await service.stop()
  store.remove()
})

const opened = () => {
  const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
  return { client, cache: new QueryClient(), queries: petstoreQueries(client) }
}

it("a pet is corrected only as the page shows it, and the cache has the new one", async () => {
  const { client, cache, queries } = opened()
  const { id } = (await client.createPet({ name: "Belo", categoryId: 9007199254740993n })).value
  const shown = await cache.fetchQuery(queries.pet(id))
  const mutation = new MutationObserver(cache, queries.correctPet(cache))

  await mutation.mutate({ id, correction: { name: "Bello" }, ifMatch: shown.etag })
  const corrected = await cache.fetchQuery({ ...queries.pet(id), staleTime: Number.POSITIVE_INFINITY })
  expect(corrected.value).toStrictEqual({ id, name: "Bello", categoryId: 9007199254740993n })

  const late = mutation.mutate({ id, correction: { name: "Rex" }, ifMatch: shown.etag })
  await expect(late).rejects.toSatisfy((error) => isPetstoreError(error) && error.code === "precondition_failed")
  expect(cache.getQueryState(queries.pet(id).queryKey)?.isInvalidated).toBe(true)
})

it("lists are read page by page, under keys that tell filters apart", async () => {
  const { client, cache, queries } = opened()
  for (const name of ["Ada", "Bella", "Coco"]) await client.createPet({ name, categoryId: 77n })
  const options = queries.pets({ categoryId: 77n, limit: 2 })
  const { pages } = await cache.fetchInfiniteQuery({ ...options, pages: 5 })
  expect(pages.map(({ value }) => value.items.map(({ name }) => name))).toStrictEqual([["Ada", "Bella"], ["Coco"]])
  expect(queries.pets({ limit: 2, categoryId: 77n }).queryKey).toStrictEqual(options.queryKey)
  expect(queries.pets({ categoryId: 78n, limit: 2 }).queryKey).not.toStrictEqual(options.queryKey)
  expect((await cache.fetchInfiniteQuery(queries.categories())).pages[0]?.value.items).toStrictEqual([])
})

it("a persisted cache is read back as it was, with its bigints and dates", async () => {
  const { client, cache, queries } = opened()
  const { id } = (await client.createPet({ name: "Dora", categoryId: 7n, status: "available" })).value
  await client.orders.create({ petId: id })
  await cache.fetchQuery(queries.pet(id))
  await cache.fetchInfiniteQuery(queries.orders({ petId: id }))
  await cache.fetchQuery(queries.inventory())
  const again = new QueryClient()
  hydrate(again, fromText(toText(dehydrate(cache))))
  for (const key of [queries.pet(id).queryKey, queries.orders({ petId: id }).queryKey, queries.inventory().queryKey]) {
    expect(again.getQueryData(key)).toStrictEqual(cache.getQueryData(key))
    expect(again.getQueryData(key)).toBeDefined()
  }
})

it("cancelling a query ends its request", async () => {
  const { cache, queries } = opened()
  const reading = cache.fetchQuery(queries.pet(1n))
  await cache.cancelQueries({ queryKey: queries.pet(1n).queryKey })
  await expect(reading).rejects.toThrow("CancelledError")
})
