/** Tests the operations with the real service. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createClient, type Pet, type PetQuery } from "@petstore/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { failureOf } from "./failure.js"
import { answer, startMisbehaving } from "./misbehaving-server.js"
import { type Petstore, startPetstore } from "./petstore.js"

let petstore: Petstore
beforeAll(async () => {
  petstore = await startPetstore()
})
afterAll(() => petstore[Symbol.asyncDispose]())

const client = () => createClient(petstore)

const past53 = 2n ** 53n + 1n

describe("createPet and getPet", () => {
  it("return the pet exactly as it was given", async () => {
    const given = { name: 'Bello \u{1F436} "\\\n\u0001', categoryId: past53, status: "pending" } as const
    const created = await client().createPet(given)
    expect(created.value).toStrictEqual({ ...given, id: created.value.id })
    expect((await client().getPet(created.value.id)).value).toStrictEqual(created.value)
  })

  it.each([0n, -1n, past53, 2n ** 63n - 1n, -(2n ** 63n)])("keep the category %s exact", async (categoryId) => {
    const { id } = (await client().createPet({ name: "Bello", categoryId })).value
    expect((await client().getPet(id)).value).toStrictEqual({ id, name: "Bello", categoryId })
  })

  it("leave an absent status absent", async () => {
    const created = await client().createPet({ name: "Bello", categoryId: 1n, status: undefined })
    expect(created.value).not.toHaveProperty("status")
  })

  it("create one pet for two calls with the same idempotency key", async () => {
    const pet = { name: "Twice", categoryId: 1n }
    const idempotencyKey = "order-17/pet-1"
    const first = await client().createPet(pet, { idempotencyKey })
    const second = await client().createPet(pet, { idempotencyKey })
    expect(second.value).toStrictEqual(first.value)
    expect([first, second].map(({ headers }) => headers["idempotent-replayed"])).toStrictEqual([undefined, "true"])
    const other = await failureOf(client().createPet({ ...pet, name: "Another" }, { idempotencyKey }))
    expect(other).toMatchObject({ code: "idempotency_key_reused", status: 422, idempotencyKey, attempts: 1 })
  })

  it("create two pets for two calls without an idempotency key", async () => {
    const pet = { name: "Twin", categoryId: 1n }
    expect((await client().createPet(pet)).value.id).not.toBe((await client().createPet(pet)).value.id)
  })
})

it("names headers in lower case on platforms that keep the case in which the server sent them", async () => {
  // Like the `fetch` of happy-dom.
  const fetchWithNames: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    const sent = response.headers
    const headers = new Headers(sent)
    headers.forEach = (visit) => {
      for (const [name, value] of sent) visit(value, name.toUpperCase(), headers)
    }
    return Object.defineProperty(response, "headers", { value: headers })
  }
  const { headers, requestId } = await createClient({ ...petstore, fetch: fetchWithNames }).listPets()
  expect(headers["x-request-id"]).toBe(requestId)
})

describe("me", () => {
  it("names the key and its account", async () => {
    const { account, key, deployment } = (await client().me()).value
    expect(account).toStrictEqual({ id: expect.stringMatching(/^acc_/), name: "development" })
    expect(key).toStrictEqual({ id: expect.stringMatching(/^key_/), readOnly: false })
    expect(deployment).toBe("development")
  })
})

describe("listPets and listAllPets", () => {
  const expected: Array<Pet> = []
  beforeAll(async () => {
    for (let index = 0; index < 5; index += 1) {
      const sold = await client().createPet({ name: `Sold ${index}`, categoryId: past53, status: "sold" })
      expected.push(sold.value)
    }
  })

  it("return each page, and the query for the next one", async () => {
    const pages = []
    let query: PetQuery | undefined = { status: "sold", limit: 2 }
    while (query !== undefined) {
      const { value: page } = await client().listPets(query)
      pages.push(page.items)
      query = page.next
    }
    expect(pages).toStrictEqual([expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)])
  })

  it("return the query for the next page as plain data", async () => {
    const { next } = (await client().listPets({ status: "sold", limit: 2 })).value
    expect(next).toStrictEqual({ status: "sold", limit: 2, cursor: expect.any(String) })
  })

  it("iterate over every pet, with any page size", async () => {
    expect(await Array.fromAsync(client().listAllPets({ status: "sold", limit: 2 }))).toStrictEqual(expected)
    expect(await Array.fromAsync(client().listAllPets({ status: "sold" }))).toStrictEqual(expected)
  })

  it("request the largest pages when iterating", async () => {
    await using server = await startMisbehaving(answer(200, []))
    await Array.fromAsync(createClient({ ...petstore, ...server }).listAllPets())
    expect(server.arrived.map(({ url }) => url)).toStrictEqual(["/v1/pets?limit=100"])
  })

  it("return 20 pets on a page if the query has no limit", async () => {
    await Promise.all(Array.from({ length: 21 }, (_, index) => client().createPet({ name: `Many ${index}`, categoryId: 1n })))
    expect((await client().listPets()).value.items).toHaveLength(20)
  })
})

/**
 * Forwards bytes to the service, and cuts the first `cuts` connections when the response begins: the request has arrived, but
 * the response is lost.
 */
const startLossyProxy = async (target: string, cuts: number) => {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const upstream = connect(Number(new URL(target).port), "127.0.0.1")
    socket.on("error", () => upstream.destroy())
    upstream.on("error", () => socket.destroy())
    socket.pipe(upstream)
    upstream.on("data", (bytes) => {
      requests += 1
      if (requests > cuts) socket.write(bytes)
      else socket.destroy()
    })
    upstream.on("close", () => socket.destroy())
    socket.on("close", () => upstream.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // Safe: a server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, "close")
    },
  }
}

it("createPet creates one pet if the response is lost twice", async () => {
  await using proxy = await startLossyProxy(petstore.baseUrl, 2)
  const created = await createClient({ baseUrl: proxy.baseUrl, apiKey: petstore.apiKey }).createPet({
    name: "Lost",
    categoryId: 3n,
  })
  expect(proxy.requests()).toBe(3)
  const kept = await Array.fromAsync(client().listAllPets())
  expect(kept.filter(({ name }) => name === "Lost")).toStrictEqual([created.value])
})

it("a caller can complete a creation whose response was lost later, with its idempotency key", async () => {
  await using proxy = await startLossyProxy(petstore.baseUrl, 1)
  const pet = { name: "Later", categoryId: 3n }
  const lost = await failureOf(createClient({ baseUrl: proxy.baseUrl, apiKey: petstore.apiKey, maxRetries: 0 }).createPet(pet))
  expect(lost).toMatchObject({ code: "network", status: undefined, attempts: 1 })
  expect(lost.advice).toContain("idempotencyKey")
  const created = await client().createPet(pet, { idempotencyKey: lost.idempotencyKey })
  const kept = await Array.fromAsync(client().listAllPets())
  expect(kept.filter(({ name }) => name === "Later")).toStrictEqual([created.value])
})
