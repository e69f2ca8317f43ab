/** Tests the bundle in a minimal realm without Node. */
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import type * as Module from "@petstore/client"
import { rolldown } from "rolldown"
import { expect, it } from "vitest"
import { answer, drop, startMisbehaving } from "./misbehaving-server.js"
import { signedDelivery } from "./signed-delivery.js"

/** Everything that the client may use besides the language. */
const platform = {
  fetch,
  AbortController,
  Headers,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  setTimeout,
  clearTimeout,
  atob,
  performance: { now: () => performance.now() },
  // No randomUUID, as in a web page over plain HTTP.
  crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes), subtle: crypto.subtle },
}

const loadBundle = async (): Promise<typeof Module> => {
  const bundle = await rolldown({ input: fileURLToPath(new URL("../dist/index.js", import.meta.url)) })
  const { output } = await bundle.generate({ format: "iife", name: "client" })
  // Safe: the bundle is this package.
  return runInContext(`${output[0].code}\nclient`, createContext({ ...platform })) as typeof Module
}

it("the bundle needs only the web platform and keeps integers exact", async () => {
  const { createClient, isPetstoreError, verifyWebhook } = await loadBundle()
  const body = '[{"id":9223372036854775807,"name":"9007199254740993","categoryId":9007199254740993,"status":"sold"}]'
  await using server = await startMisbehaving(
    drop,
    answer(200, body),
    answer(404, { code: "pet_not_found", message: "No.", status: 404 }),
  )
  const client = createClient({ ...server, apiKey: "pst_dev_x" })
  const { items } = (await client.listPets()).value
  expect(Array.from(items, (pet) => ({ ...pet }))).toStrictEqual([
    { id: 2n ** 63n - 1n, name: "9007199254740993", categoryId: 2n ** 53n + 1n, status: "sold" },
  ])
  const error: unknown = await client.createPet({ name: "Bello", categoryId: 1n }).catch((thrown: unknown) => thrown)
  expect(isPetstoreError(error) && error.code).toBe("pet_not_found")
  const { payload, headers, secret } = signedDelivery()
  expect((await verifyWebhook(payload, headers, secret)).data.after?.pet?.categoryId).toBe(2n ** 53n + 1n)
})
