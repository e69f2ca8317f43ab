/** Fuzzes the built service, which must pass, and faulty services, which must not. */
import { decodeJson, decodeNewPet } from "@petstore/core"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { openProxy } from "@petstore/harness/proxy"
import { type Service, startService } from "@petstore/harness/serving"
import { Either } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fuzz } from "../src/fuzz.ts"
import { body } from "../src/pets.ts"
import { fuzzOwnStore } from "../src/store-command.ts"
import { fuzzStore } from "../src/store-fuzz.ts"

const store = new TemporaryStore()
let serving: Service
let key: string

beforeAll(async () => {
  serving = await startService(store.environment)
  key = serving.key
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

it("the service conforms to the contract for thousands of valid, invalid and malformed requests", async () => {
  const { sent, failure } = await fuzz({ baseUrl: serving.baseUrl, key, requests: 4000, seed: 11 }, () => {})
  expect(failure).toBeUndefined()
  expect(sent).toBeGreaterThanOrEqual(4000)
})

it("core decodes every generated body that contains a valid pet, and rejects every other body", () => {
  fc.assert(
    fc.property(body, (given) => {
      const text = typeof given.text === "string" ? given.text : Buffer.from(given.text).toString("utf8")
      const decoded = Either.flatMap(decodeJson(text), decodeNewPet)
      if (!("pet" in given)) expect(Either.isLeft(decoded)).toBe(true)
      else expect(decoded).toStrictEqual(Either.right(given.pet))
    }),
    { seed: 12, numRuns: 2000 },
  )
})

it("the service agrees with a model of the store after every change", async () => {
  expect(await fuzzOwnStore(60, 14, {})).toBeUndefined()
})

describe("a service that differs from the model", () => {
  const sequences = { sequences: 60, seed: 15 }

  it("is caught if it accepts a change with a read-only key", async () => {
    const failure = await fuzzStore({ baseUrl: serving.baseUrl, key, readOnlyKey: key, ...sequences })
    expect(failure).toMatch(/expected (?:an error|insufficient_scope), got/)
  })

  it("is caught if it ignores If-Match", async () => {
    await petstore(store.environment, "accounts", "create", "fuzz")
    const { key: readOnlyKey } = await createKey(store.environment, "fuzz", "--read-only")
    const ofCaller = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replaceAll("If-Match", "If-Patch"), "latin1")
    const proxy = await openProxy(serving.baseUrl, () => ({ ofCaller }))
    try {
      const failure = await fuzzStore({ baseUrl: proxy.url, key, readOnlyKey, ...sequences })
      expect(failure).toMatch(/expected (?:an error|invalid_parameter|precondition_failed), got (?:20|404)/)
    } finally {
      proxy.close()
    }
  })
})

/** A service that forwards everything to the real one, and changes its responses with `spoil`. */
const spoiling = async <A>(spoil: (response: string) => string | undefined, use: (baseUrl: string) => Promise<A>): Promise<A> => {
  const proxy = await openProxy(serving.baseUrl, () => ({
    ofServer: (bytes) => {
      const spoiled = spoil(bytes.toString("latin1"))
      return spoiled === undefined ? undefined : Buffer.from(spoiled, "latin1")
    },
  }))
  try {
    return await use(proxy.url)
  } finally {
    proxy.close()
  }
}

it("a service whose feed names another operation is caught", async () => {
  await petstore(store.environment, "accounts", "create", "feed")
  const { key: readOnlyKey } = await createKey(store.environment, "feed", "--read-only")
  const failure = await spoiling(
    (response) => response.replaceAll('"operation":"correctPet"', '"operation":"restorePet"'),
    (baseUrl) => fuzzStore({ baseUrl, key, readOnlyKey, sequences: 60, seed: 16 }),
  )
  expect(failure).toContain("restorePet")
})

describe("a faulty service", () => {
  it.each([
    ["sends a 5xx", (response: string) => response.replace("HTTP/1.1 404 Not Found", "HTTP/1.1 500 Internal Server Error")],
    ["sends a wrong code", (response: string) => response.replaceAll('"invalid_body"', '"invalid_bodi"')],
    ["omits the request ID", (response: string) => response.replaceAll("X-Request-Id", "X-Request-Ix")],
    ["drops a connection", (response: string) => (response.includes('"invalid_json"') ? undefined : response)],
    ["rounds a category", (response: string) => response.replaceAll(/("categoryId":-?\d{17})\d\d/g, "$100")],
  ])("is caught if it %s", async (_what, spoil) => {
    const { failure } = await spoiling(spoil, (baseUrl) => fuzz({ baseUrl, key, requests: 4000, seed: 13 }, () => {}))
    expect(failure?.command).toMatch(/^printf /)
    expect(failure?.command).not.toContain(key)
  })
})
