/** Tests a web page that imports the published bundle, in Chromium with the real service. */
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer, request as forward } from "node:http"
import type { AddressInfo } from "node:net"
import type * as Module from "@petstore/client"
import { type Browser, launchChromium, type Page } from "@petstore/test/chromium"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { type Petstore, startPetstore } from "./petstore.js"
import { signedDelivery } from "./signed-delivery.js"

const html = `<!doctype html><title>A page</title>
  <script type="module">import * as client from "/client.js"; globalThis.client = client</script>`

/** Serves the page and the bundle, and forwards `/v1` to the service. Drops the responses to the first `drops` requests. */
const startSite = async (service: string) => {
  const bundle = await readFile(new URL("../dist/index.js", import.meta.url))
  const state = { drops: 0, requests: 0 }
  const server = createServer((request, response) => {
    if (request.url === "/client.js") response.setHeader("Content-Type", "text/javascript").end(bundle)
    else if (request.url?.startsWith("/v1/")) {
      state.requests += 1
      const lost = state.requests <= state.drops
      const { method, headers } = request
      const onward = forward(new URL(request.url, service), { method, headers }, (answer) => {
        if (lost) return response.socket?.destroy()
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        return answer.pipe(response)
      })
      request.pipe(onward)
    } else response.setHeader("Content-Type", "text/html").end(html)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // Safe: a server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo
  return { state, origin: `http://127.0.0.1:${port}`, stop: () => server.close().closeAllConnections() }
}

let petstore: Petstore
let browser: Browser
let site: Awaited<ReturnType<typeof startSite>>
let page: Page

beforeAll(async () => {
  petstore = await startPetstore()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await petstore?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  site = await startSite(petstore.baseUrl)
  page = await browser.newPage()
  await page.goto(site.origin)
})
afterEach(async () => {
  await page.close()
  site.stop()
})

/** A function that runs in the page, with the bundle's module and the options for a client. */
type Script = (given: { client: typeof Module; baseUrl: string; apiKey: string }) => Promise<unknown>

const inPage = (script: Script, apiKey = petstore.apiKey, baseUrl = `${site.origin}/v1`): Promise<unknown> =>
  // Passes the script as text, because `evaluate` accepts only one function and data.
  page.evaluate(`(${script.toString()})({ client, ...${JSON.stringify({ apiKey, baseUrl })} })`)

it("a page creates, lists and gets a pet with an exact category past 2^53", async () => {
  const result = await inPage(async ({ client, ...options }) => {
    const petstore = client.createClient(options)
    const { value: created } = await petstore.createPet({ name: "Bello", categoryId: 9007199254740993n, status: "sold" })
    const listed = []
    for await (const pet of petstore.listAllPets({ status: "sold", limit: 1 })) listed.push(pet)
    return { created, listed, got: (await petstore.getPet(created.id)).value }
  })
  const pet = { id: expect.any(BigInt), name: "Bello", categoryId: 9007199254740993n, status: "sold" }
  expect(result).toStrictEqual({ created: pet, listed: [pet], got: pet })
})

it("a page verifies a webhook's delivery", async () => {
  const { payload, headers, secret } = signedDelivery()
  const verify = `client.verifyWebhook(${JSON.stringify(payload)}, new Headers(${JSON.stringify(headers)}), "${secret}")`
  expect(await page.evaluate(`${verify}.then(({ data }) => data.after.pet.categoryId)`)).toBe(2n ** 53n + 1n)
})

it("a page creates one pet even if two responses are lost", async () => {
  site.state.drops = 2
  const count = await inPage(async ({ client, ...options }) => {
    const petstore = client.createClient(options)
    await petstore.createPet({ name: "Lost", categoryId: 1n, status: "pending" })
    return (await petstore.listPets({ status: "pending" })).value.items.length
  })
  expect(count).toBe(1)
  // Chromium itself may repeat a request on a connection that it reused.
  expect(site.state.requests).toBeGreaterThanOrEqual(4)
})

it("a page receives advice about a key of another deployment", async () => {
  const error = await inPage(
    async ({ client, ...options }) => {
      const thrown = await client
        .createClient(options)
        .listPets()
        .catch((reason: unknown) => reason)
      return client.isPetstoreError(thrown) ? [thrown.code, thrown.status, thrown.advice] : thrown
    },
    (await petstore.createKey([], "staging")).key,
  )
  expect(error).toStrictEqual(["invalid_credential", 401, expect.stringContaining("check that baseUrl is staging's")])
})

it("a page from another origin that the service allows can create and list pets, and receives error codes", async () => {
  await using open = await startPetstore("production", { CORS_ORIGINS: site.origin })
  const result = await inPage(
    async ({ client, ...options }) => {
      const petstore = client.createClient(options)
      const ids = []
      for (const name of ["Ada", "Bello"]) ids.push((await petstore.createPet({ name, categoryId: 1n })).value.id)
      const listed = []
      for await (const pet of petstore.listAllPets({ limit: 1 })) listed.push(pet.id)
      const thrown = await petstore.getPet(404n).catch((reason: unknown) => reason)
      return { same: String(ids) === String(listed), code: client.isPetstoreError(thrown) && thrown.code }
    },
    open.apiKey,
    open.baseUrl,
  )
  expect(result).toStrictEqual({ same: true, code: "pet_not_found" })
})

it("a page receives advice if the service does not allow its origin", async () => {
  const error = await inPage(
    async ({ client, ...options }) => {
      const thrown = await client
        .createClient({ ...options, maxRetries: 0 })
        .listPets()
        .catch((reason: unknown) => reason)
      return client.isPetstoreError(thrown) ? [thrown.code, thrown.advice] : thrown
    },
    petstore.apiKey,
    petstore.baseUrl,
  )
  expect(error).toStrictEqual(["network", expect.stringContaining("CORS_ORIGINS")])
})

it("a call with an aborted signal fails in a page with the code aborted", async () => {
  const code = await inPage(async ({ client, ...options }) => {
    const signal = AbortSignal.abort()
    const thrown = await client
      .createClient(options)
      .listPets({}, { signal })
      .catch((reason: unknown) => reason)
    return client.isPetstoreError(thrown) ? thrown.code : thrown
  })
  expect(code).toBe("aborted")
})
