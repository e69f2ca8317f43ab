/** Tests which requests the client repeats, when, and for how long, with a misbehaving server. */
import { createClient } from "@petstore/client"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { failureOf } from "./failure.js"
import { type Answer, answer, drop, dropHalfway, errorAnswer, hang, startMisbehaving } from "./misbehaving-server.js"

const pet = { id: 1, name: "Bello", categoryId: 2 }
const decoded = { id: 1n, name: "Bello", categoryId: 2n }
const newPet = { name: "Bello", categoryId: 2n }
const apiKey = "pst_dev_x"

// Makes waits as short as possible, to save time. time.unit.ts tests their length.
beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const html502 = answer(502, "<h1>Bad Gateway</h1>")

const passing: ReadonlyArray<readonly [string, Answer]> = [
  ["a dropped connection", drop],
  ["a response that is cut off", dropHalfway],
  ["a 408", errorAnswer(408, "request_timeout")],
  ["a 429", errorAnswer(429, "rate_limited")],
  ["a 500", errorAnswer(500, "internal_error")],
  ["a proxy's 502", html502],
  ["a 503", errorAnswer(503, "storage_unavailable")],
]

describe("createPet", () => {
  it.each(passing)("repeats the request after %s, with the same idempotency key and the same bytes", async (_name, failing) => {
    await using server = await startMisbehaving(failing, failing, answer(201, pet))
    expect((await createClient({ ...server, apiKey }).createPet(newPet)).value).toStrictEqual(decoded)
    expect(server.arrived).toHaveLength(3)
    const sent = server.arrived.map(({ method, url, body, headers }) => ({ method, url, body, headers }))
    expect(new Set(sent.map((request) => JSON.stringify(request))).size).toBe(1)
    expect(sent[0]).toMatchObject({
      method: "POST",
      url: "/v1/pets",
      body: '{"name":"Bello","categoryId":2}',
      headers: {
        authorization: "Bearer pst_dev_x",
        "content-type": "application/json",
        "idempotency-key": expect.stringMatching(/^[0-9]+-[0-9]+$/),
        "x-request-id": expect.stringMatching(/^[0-9]+-[0-9]+$/),
      },
    })
  })

  it("uses a different idempotency key for another call", async () => {
    await using server = await startMisbehaving(answer(201, pet))
    const client = createClient({ ...server, apiKey })
    await client.createPet(newPet)
    await client.createPet(newPet)
    expect(new Set(server.arrived.map(({ headers }) => headers["idempotency-key"])).size).toBe(2)
  })

  it.each([
    [400, "invalid_body"],
    [401, "invalid_credential"],
    [404, "route_not_found"],
    [413, "body_too_large"],
    [422, "idempotency_key_reused"],
  ])("does not repeat a request after a %s", async (status, code) => {
    await using server = await startMisbehaving(errorAnswer(status, code), answer(201, pet))
    expect(await failureOf(createClient({ ...server, apiKey }).createPet(newPet))).toMatchObject({ status, code, attempts: 1 })
  })

  it("says after the last attempt how to continue without creating a second pet", async () => {
    await using server = await startMisbehaving(errorAnswer(503, "storage_unavailable"))
    const error = await failureOf(createClient({ ...server, apiKey, maxRetries: 1 }).createPet(newPet))
    expect(error).toMatchObject({ code: "storage_unavailable", status: 503, attempts: 2 })
    expect(error.idempotencyKey).toBe(server.arrived[0]?.headers["idempotency-key"])
    expect(error.advice).toContain("repeating the call with the error's idempotencyKey never creates a second one")
  })
})

describe("a read", () => {
  it.each(passing)("is repeated after %s", async (_name, failing) => {
    await using server = await startMisbehaving(failing, answer(200, [pet]))
    expect((await createClient({ ...server, apiKey }).listPets({ limit: 1 })).value).toStrictEqual({ items: [decoded] })
    expect(server.arrived.map(({ url }) => url)).toStrictEqual(["/v1/pets?limit=1", "/v1/pets?limit=1"])
  })

  it("sends no idempotency key", async () => {
    await using server = await startMisbehaving(answer(200, [pet]))
    await createClient({ ...server, apiKey }).getPet(1n)
    expect(server.arrived[0]?.headers).not.toHaveProperty("idempotency-key")
  })

  it("fails after the sixth request by default", async () => {
    await using server = await startMisbehaving(drop)
    expect(await failureOf(createClient({ ...server, apiKey }).listPets())).toMatchObject({ code: "network", attempts: 6 })
    expect(server.arrived).toHaveLength(6)
  })
})

describe("Retry-After", () => {
  it("delays the next request", async () => {
    await using server = await startMisbehaving(errorAnswer(429, "rate_limited", { "Retry-After": "1" }), answer(200, []))
    await createClient({ ...server, apiKey }).listPets()
    const [first, second] = server.arrived
    // Timers may fire a little early.
    expect((second?.atMillis ?? 0) - (first?.atMillis ?? 0)).toBeGreaterThan(990)
  })

  it("ends the call immediately if the wait would exceed the deadline, and appears in the error", async () => {
    await using server = await startMisbehaving(errorAnswer(429, "rate_limited", { "Retry-After": "3600" }))
    const error = await failureOf(createClient({ ...server, apiKey }).listPets())
    expect(error).toMatchObject({ code: "rate_limited", status: 429, attempts: 1, retryAfterMillis: 3_600_000 })
    expect(error.advice).toContain("Call again after retryAfterMillis")
  })
})

describe("the deadline", () => {
  it("ends a call that gets no response", async () => {
    await using server = await startMisbehaving(hang)
    const error = await failureOf(createClient({ ...server, apiKey }).createPet(newPet, { timeout: 100 }))
    expect(error).toMatchObject({ code: "timeout", status: undefined, attempts: 1 })
    expect(error.advice).toContain("larger timeout")
  })

  it("ends a call whose response never ends", async () => {
    await using server = await startMisbehaving((response) => {
      response.writeHead(200)
      response.write("[")
    })
    expect(await failureOf(createClient({ ...server, apiKey, timeout: 100 }).listPets())).toMatchObject({
      code: "timeout",
    })
  })

  it("applies to all requests of a call together", async () => {
    let clockMillis = 0
    vi.spyOn(performance, "now").mockImplementation(() => clockMillis)
    let requests = 0
    const slow: typeof fetch = async () => {
      requests += 1
      clockMillis += 40_000
      return new Response("{}", { status: 503 })
    }
    const client = createClient({ baseUrl: "http://127.0.0.1/v1", apiKey, fetch: slow, timeout: 100_000, attemptTimeout: 50_000 })
    expect(await failureOf(client.listPets())).toMatchObject({ status: 503, attempts: 3 })
    expect(requests).toBe(3)
  })

  it("ends a call whose fetch ignores the signal", async () => {
    const deaf: typeof fetch = () => new Promise(() => undefined)
    const client = createClient({ baseUrl: "http://127.0.0.1/v1", apiKey, fetch: deaf, timeout: 50 })
    expect(await failureOf(client.listPets())).toMatchObject({ code: "timeout" })
  })
})

it("the client repeats a request that takes longer than attemptTimeout", async () => {
  await using server = await startMisbehaving(hang, answer(201, pet))
  expect((await createClient({ ...server, apiKey, attemptTimeout: 1_000 }).createPet(newPet)).value).toStrictEqual(decoded)
  expect(server.arrived).toHaveLength(2)
})

describe("an AbortSignal", () => {
  it("ends a call before its first request", async () => {
    await using server = await startMisbehaving(answer(200, []))
    const error = await failureOf(createClient({ ...server, apiKey }).listPets({}, { signal: AbortSignal.abort("enough") }))
    expect(error).toMatchObject({ code: "aborted", status: undefined, cause: "enough", attempts: 0 })
    expect(server.arrived).toHaveLength(0)
  })

  it("ends a call during a request", async () => {
    const controller = new AbortController()
    await using server = await startMisbehaving(() => controller.abort("enough"))
    const error = await failureOf(createClient({ ...server, apiKey }).createPet(newPet, { signal: controller.signal }))
    expect(error).toMatchObject({ code: "aborted", cause: "enough" })
    expect(error.advice).toContain("may have been created")
  })

  it("ends a call between two requests", async () => {
    const controller = new AbortController()
    await using server = await startMisbehaving(errorAnswer(503, "storage_unavailable", { "Retry-After": "20" }))
    const call = failureOf(createClient({ ...server, apiKey }).listPets({}, { signal: controller.signal }))
    await expect.poll(() => server.arrived.length).toBe(1)
    // By then, the response has been read or is about to be read. Either way, the call must end.
    setTimeout(() => controller.abort("enough"), 100)
    expect(await call).toMatchObject({ code: "aborted", cause: "enough", attempts: 1 })
    expect(server.arrived).toHaveLength(1)
  })

  it("has no listeners left after the call", async () => {
    await using server = await startMisbehaving(drop, answer(200, []))
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, "addEventListener")
    const removed = vi.spyOn(signal, "removeEventListener")
    await createClient({ ...server, apiKey }).listPets({}, { signal })
    expect(added.mock.calls.length).toBeGreaterThan(0)
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
  })
})

it("the client does not follow a redirect, which would send the key to another server", async () => {
  await using elsewhere = await startMisbehaving(answer(200, []))
  await using server = await startMisbehaving(answer(307, "", { Location: `${elsewhere.baseUrl}/pets` }))
  expect(await failureOf(createClient({ ...server, apiKey }).listPets())).toMatchObject({ code: "invalid_answer", status: 307 })
  expect(elsewhere.arrived).toHaveLength(0)
})
