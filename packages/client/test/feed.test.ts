/** Follows the changes of the real service, and over failures. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createClient } from "@petstore/client"
import { expect, it, vi } from "vitest"
import { failureOf } from "./failure.js"
import { startPetstore } from "./petstore.js"

/** The next change of a feed. */
const nextOf = async <A>(iterator: AsyncIterator<A>): Promise<A> => {
  const { value, done } = await iterator.next()
  if (done === true) throw new Error("the feed ended")
  return value
}

it("a feed gives every change as it happens, with its callers, and goes on at its cursor", async () => {
  await using service = await startPetstore()
  const petstore = createClient(service)
  const { value: bello } = await petstore.createPet({ name: "Bello", categoryId: 2n ** 53n + 1n, status: "available" })
  const feed = petstore.changes()
  const changes = feed[Symbol.asyncIterator]()
  expect(await nextOf(changes)).toStrictEqual({
    id: expect.any(String),
    at: expect.any(Date),
    operation: "createPet",
    by: { account: { id: expect.any(String), name: "development" }, key: { id: expect.any(String) } },
    requestId: expect.any(String),
    after: { pet: bello },
  })
  // The request for this change waits for the order.
  const later = nextOf(changes)
  const { value: order } = await petstore.orders.create({ petId: bello.id })
  expect((await later).after).toStrictEqual({ pet: { ...bello, status: "pending" }, order })
  const { cursor } = feed
  await petstore.categories.replace(7n, { name: "Dogs" })
  expect((await nextOf(changes)).after).toStrictEqual({ category: { id: 7n, name: "Dogs" } })
  const again = petstore.changes({ cursor })[Symbol.asyncIterator]()
  expect([(await nextOf(again)).operation, (await nextOf(again)).operation]).toEqual(["createOrder", "replaceCategory"])

  const { value: newest } = await petstore.listChanges({ order: "desc", limit: 1 })
  expect(newest.items.map(({ operation }) => operation)).toEqual(["replaceCategory"])
  expect((await petstore.listChanges(newest.later)).value.items).toEqual([])
  expect(await failureOf(petstore.listChanges({ cursor: "x" }))).toMatchObject({ code: "invalid_parameter" })
  await expect(petstore.listChanges({ wait: 31 })).rejects.toThrow("wait must be")
})

it("a feed from now on gives only later changes, of one pet if asked, and ends with its signal", async () => {
  await using service = await startPetstore()
  const petstore = createClient(service)
  const { value: ada } = await petstore.createPet({ name: "Ada", categoryId: 1n })
  const stop = new AbortController()
  const feed = petstore.changes({ from: "now", petId: ada.id }, { signal: stop.signal })
  const changes = feed[Symbol.asyncIterator]()
  const first = nextOf(changes)
  await expect.poll(() => feed.cursor).toBeDefined()
  await petstore.createPet({ name: "Other", categoryId: 1n })
  await petstore.removePet(ada.id)
  expect(await first).toMatchObject({ operation: "removePet", before: { pet: ada } })
  const second = failureOf(nextOf(changes))
  stop.abort()
  expect(await second).toMatchObject({ code: "aborted" })
})

it("a feed goes on over lost connections and passing failures, and loses and repeats nothing", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0)
  await using service = await startPetstore()
  const direct = createClient(service)
  let count = 0
  const proxy = createServer(async (request, response) => {
    count += 1
    if (count % 4 === 1) return void request.socket.destroy()
    if (count % 4 === 2) return void response.writeHead(503).end("away")
    const found = await fetch(new URL(request.url ?? "", service.baseUrl), {
      headers: { authorization: String(request.headers.authorization) },
    })
    response.writeHead(found.status, Object.fromEntries([...found.headers].filter(([name]) => name !== "connection")))
    if (count % 4 === 3) return void response.destroy()
    response.end(await found.text())
  })
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve))
  const { port } = proxy.address() as AddressInfo
  const lossy = createClient({ ...service, baseUrl: `http://127.0.0.1:${port}/v1`, maxRetries: 0 })
  const names = Array.from({ length: 230 }, (_, index) => `Pet ${index}`)
  for (const name of names.slice(0, 220)) await direct.createPet({ name, categoryId: 1n })
  const seen: Array<string | undefined> = []
  const rest = (async () => {
    for (const name of names.slice(220)) await direct.createPet({ name, categoryId: 1n })
  })()
  for await (const { after } of lossy.changes()) {
    seen.push(after?.pet?.name)
    if (seen.length === names.length) break
  }
  await rest
  expect(seen).toEqual(names)
  expect(count).toBeGreaterThan(8)
  proxy.closeAllConnections()
  proxy.close()
  vi.restoreAllMocks()
})
