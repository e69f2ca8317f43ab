/** Tests the codes of failures of the service and of the network, and the advice on what to do. */
import { createClient, type ErrorCode, isPetstoreError, makePetstoreError, PetstoreError } from "@petstore/client"
import type { ErrorCode as DomainErrorCode } from "@petstore/core/contract"
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { failureOf } from "./failure.js"
import { answer, errorAnswer, startMisbehaving } from "./misbehaving-server.js"
import { type Petstore, startPetstore } from "./petstore.js"

let petstore: Petstore
beforeAll(async () => {
  petstore = await startPetstore("production")
})
afterAll(() => petstore[Symbol.asyncDispose]())

const listWith = (apiKey: string) => failureOf(createClient({ baseUrl: petstore.baseUrl, apiKey }).listPets())

describe("a refused key", () => {
  it("is reported as malformed if it does not look like a key", async () => {
    const error = await listWith("hunter2")
    expect(error).toMatchObject({ code: "invalid_credential", status: 401, attempts: 1 })
    expect(error.advice).toContain("starts with pst_live_ (production), pst_test_ (staging) or pst_dev_ (development)")
  })

  it("is reported as mistyped if its checksum does not match", async () => {
    const last = petstore.apiKey.endsWith("a") ? "b" : "a"
    const error = await listWith(petstore.apiKey.slice(0, -1) + last)
    expect(error.message).toContain("mistyped")
    expect(error.advice).toContain("ask the service's operator for a new one")
  })

  it("is reported as a key for staging if another deployment receives it", async () => {
    const { key } = await petstore.createKey([], "staging")
    const error = await listWith(key)
    expect(error).toMatchObject({ code: "invalid_credential", status: 401 })
    expect(error.advice).toContain("This is a staging key (pst_test_…): check that baseUrl is staging's")
  })

  it("is reported as unknown, expired or revoked if it has expired", async () => {
    const { key } = await petstore.createKey(["--expires-in", "1s"])
    const listed = () =>
      createClient({ ...petstore, apiKey: key })
        .listPets()
        .then(
          () => "accepted",
          () => "refused",
        )
    await expect.poll(listed).toBe("refused")
    const error = await listWith(key)
    expect(error).toMatchObject({ code: "invalid_credential", status: 401 })
    expect(error.message).toContain("expired")
  })

  it("never appears in the error", async () => {
    const error = await listWith(`${petstore.apiKey.slice(0, -1)}!`)
    const { inspect } = await import("node:util")
    expect(inspect(error, { depth: 9 })).not.toContain(petstore.apiKey.slice(12, 40))
  })
})

it("an error that a test makes has the members of one that the client throws", async () => {
  await using server = await startMisbehaving(errorAnswer(404, "pet_not_found"))
  const thrown = await failureOf(createClient({ ...server, apiKey: "pst_dev_x", maxRetries: 0 }).removePet(7n))
  const made = makePetstoreError({ code: "pet_not_found", status: 404 })
  expect(isPetstoreError(made)).toBe(true)
  expect(made).toMatchObject({ code: thrown.code, status: thrown.status, advice: thrown.advice, attempts: 1 })
  expect(Object.keys(made).toSorted()).toStrictEqual(Object.keys(thrown).toSorted())
  expect(makePetstoreError({ code: "network", cause: "reset", message: "Gone." })).toMatchObject({
    cause: "reset",
    status: undefined,
  })
  // @ts-expect-error: a code of the service comes with a status
  expect(makePetstoreError({ code: "pet_not_found" }).code).toBe("pet_not_found")
})

describe("a service failure", () => {
  it("has a code, a status, a request id, and advice", async () => {
    const error = await failureOf(createClient(petstore).getPet(404n))
    expect(error).toMatchObject({
      name: "PetstoreError",
      code: "pet_not_found",
      status: 404,
      attempts: 1,
      idempotencyKey: undefined,
    })
    expect(error.requestId).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
    expect(error.message).toBe(`No pet has the identifier 404. ${error.advice}`)
  })

  it("names the invalid field", async () => {
    const error = await failureOf(createClient(petstore).createPet({ name: " ", categoryId: 7n }))
    expect(error).toMatchObject({ code: "invalid_body", status: 400 })
    expect(error.message).toMatch(/^name: /)
    expect(error.advice).not.toContain("may have been created")
  })

  it("reports an invalid cursor", async () => {
    expect(await failureOf(createClient(petstore).listPets({ cursor: "x&y=z" }))).toMatchObject({
      code: "invalid_parameter",
      status: 400,
    })
  })

  it("advises how the base address must end if /v1 is missing", async () => {
    const error = await failureOf(createClient({ ...petstore, baseUrl: new URL("/", petstore.baseUrl).href }).listPets())
    expect(error).toMatchObject({ code: "route_not_found", status: 404 })
    expect(error.advice).toContain("ends in /v1")
  })

  it("has the request id from the response if a proxy changed the id", async () => {
    await using server = await startMisbehaving(errorAnswer(404, "pet_not_found", { "X-Request-Id": "of-the-answer" }))
    expect(await failureOf(createClient({ ...petstore, ...server }).getPet(1n))).toMatchObject({ requestId: "of-the-answer" })
  })

  it("has the code unknown_code if the client does not know its code", async () => {
    await using server = await startMisbehaving(errorAnswer(409, "pet_on_holiday"))
    const error = await failureOf(createClient({ ...petstore, ...server }).getPet(1n))
    expect(error).toMatchObject({ code: "unknown_code", status: 409 })
    expect(error.message).toContain("pet_on_holiday: It failed. ")
  })
})

it("the client reports a rate limit immediately, with the time to retry, if the limit ends after the deadline", async () => {
  await using limited = await startPetstore("development", { RATE_LIMIT: "1" })
  const client = createClient(limited)
  await client.listPets()
  const error = await failureOf(client.listPets())
  expect(error).toMatchObject({ code: "rate_limited", status: 429, attempts: 1 })
  expect(error.retryAfterMillis).toBeGreaterThan(30_000)
  expect(error.advice).toContain("Call again after retryAfterMillis")
})

describe("a response that is not from the pet store", () => {
  const pet = { id: 1, name: "Bello", categoryId: 2 }
  it.each([
    ["a web page", answer(200, "<!doctype html>")],
    ["truncated JSON", answer(200, '{"id":1')],
    ["an empty body", answer(204, "")],
    ["an item that is not a pet", answer(200, [{}])],
    ["a pet instead of an array", answer(200, pet)],
    ["another pet", answer(200, [{ ...pet, id: 2 }])],
    ["a fraction as the identifier", answer(200, [{ ...pet, id: 1.5 }])],
    ["an identifier past 64 bits", answer(200, '[{"id":9223372036854775808,"name":"Bello","categoryId":2}]')],
    ["an identifier in quotes", answer(200, [{ ...pet, id: "1" }])],
    ["no name", answer(200, [{ ...pet, name: null }])],
    ["an unknown status", answer(200, [{ ...pet, status: "lost" }])],
    ["bytes that are not UTF-8", answer(200, '[{"id":1,"name":"\u00ff","categoryId":2}]', {}, "latin1")],
    ["a redirect", answer(307, "", { Location: "/v1/pets/2" })],
    ["another service's error", answer(404, "<h1>Not Found</h1>")],
    ["an error in another form", answer(404, { error: "not found" })],
  ])("is reported as invalid_answer: %s", async (_name, told) => {
    await using server = await startMisbehaving(told, answer(200, [pet]))
    const error = await failureOf(createClient({ ...petstore, ...server }).getPet(1n))
    expect(error).toMatchObject({ code: "invalid_answer", attempts: 1 })
    expect(error.advice).toContain("Check that baseUrl points to the pet store")
  })

  it("is reported as invalid_answer if a page names itself as the next page", async () => {
    await using server = await startMisbehaving(answer(200, [pet], { Link: '</v1/pets?cursor=again>; rel="next"' }))
    const error = await failureOf(Array.fromAsync(createClient({ ...petstore, ...server }).listAllPets()))
    expect(error).toMatchObject({ code: "invalid_answer", status: 200 })
    expect(server.arrived).toHaveLength(2)
  })
})

it("the client reports the cause, with advice, if the service is not listening", async () => {
  const server = await startMisbehaving(answer(200, []))
  await server[Symbol.asyncDispose]()
  const error = await failureOf(createClient({ ...petstore, ...server, maxRetries: 1 }).listPets())
  expect(error).toMatchObject({ code: "network", status: undefined, attempts: 2, cause: expect.any(TypeError) })
  expect(error.advice).toContain("Check the network, that baseUrl is right, and that the service is running.")
})

describe("an invalid argument", () => {
  const valid = { baseUrl: "https://pets.example/v1", apiKey: "pst_live_x" }
  it.each([
    ["a relative base address", { ...valid, baseUrl: "/v1" }],
    ["a file as the base address", { ...valid, baseUrl: "file:///v1" }],
    ["a base address with a query", { ...valid, baseUrl: "https://pets.example/v1?key=1" }],
    ["an empty key", { ...valid, apiKey: "" }],
    // Safe: a missing setting is `undefined`.
    ["a missing key", { ...valid, apiKey: undefined as unknown as string }],
    ["a key with a line break", { ...valid, apiKey: "pst_live_secret\n" }],
    ["a deadline that is not a number", { ...valid, timeout: Number.NaN }],
    ["a negative number of retries", { ...valid, maxRetries: -1 }],
  ])("makes createClient throw a TypeError that does not contain the key: %s", (_name, options) => {
    expect(() => createClient(options)).toThrow(TypeError)
    expect(() => createClient(options)).not.toThrow("secret")
  })

  it("is refused before the client sends a request", async () => {
    await using server = await startMisbehaving(answer(200, []))
    const client = createClient({ ...valid, ...server })
    // @ts-expect-error: a caller without a compiler may pass this
    await expect(client.createPet({ name: "Bello", categoryId: 9007199254740992 })).rejects.toThrow(
      'categoryId must be a bigint of at most 64 bits, such as 7n or BigInt("7"), got 9007199254740992 (number).',
    )
    // @ts-expect-error: as above
    await expect(client.getPet(9007199254740992)).rejects.toThrow("The identifier must be a bigint")
    await expect(client.createPet({ name: "Bello", categoryId: 1n }, { idempotencyKey: "a b" })).rejects.toThrow(TypeError)
    // @ts-expect-error: as above
    await expect(client.createPet({ name: undefined, categoryId: 1n })).rejects.toThrow(TypeError)
    // @ts-expect-error: as above
    await expect(client.createPet({ name: "Bello", categoryId: 1n, status: "lost" })).rejects.toThrow(TypeError)
    await expect(client.createPet({ name: "Bello", categoryId: 2n ** 64n })).rejects.toThrow(TypeError)
    await expect(client.getPet(2n ** 63n)).rejects.toThrow(TypeError)
    await expect(client.orders.create({ petId: 2n ** 63n })).rejects.toThrow(TypeError)
    for (const limit of [Number.NaN, 0, 1.5, 101]) await expect(client.listPets({ limit })).rejects.toThrow(TypeError)
    await expect(client.orders.listAll({ limit: Number.NaN }).next()).rejects.toThrow(TypeError)
    expect(server.arrived).toHaveLength(0)
  })
})

it("the client has exactly core's codes and six codes of its own", () => {
  expectTypeOf<ErrorCode>().toEqualTypeOf<DomainErrorCode>()
  expectTypeOf<Exclude<PetstoreError["code"], ErrorCode>>().toEqualTypeOf<
    "network" | "timeout" | "aborted" | "missing_etag" | "invalid_answer" | "unknown_code"
  >()
  const narrow = (error: PetstoreError) => {
    if (error.code === "network") expectTypeOf(error.status).toEqualTypeOf<undefined>()
    if (error.code === "rate_limited") expectTypeOf(error.status).toEqualTypeOf<number>()
  }
  expect(narrow).toBeTypeOf("function")
  expect(isPetstoreError(new Error("another"))).toBe(false)
})

it("a failed call rejects with an error that instanceof PetstoreError narrows", async () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", maxRetries: 0 })
  const thrown: unknown = await client.listPets().catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(PetstoreError)
  if (thrown instanceof PetstoreError) expectTypeOf(thrown).toEqualTypeOf<PetstoreError>()
  expect(new Error("another") instanceof PetstoreError).toBe(false)
})

it.each([
  [
    ...[409, "pet_reserved", "A placed order holds the pet 1. Complete or cancel the order first."],
    "A placed order holds the pet 1. Complete or cancel the order first. You can still change the pet's name and category.",
  ],
  [
    ...[412, "precondition_failed", "It was changed since. Read it again, and decide anew."],
    "It was changed since. Read it again, and decide anew.",
  ],
  [
    ...[404, "order_not_found", "No such order: https://petstore.example/docs#orders"],
    "No such order: https://petstore.example/docs#orders. Check the identifier.",
  ],
] as const)("the client adds only missing advice to the message of %s %s", async (status, code, message, expected) => {
  await using server = await startMisbehaving(answer(status, { code, message, status }))
  const error = await failureOf(createClient({ ...server, apiKey: petstore.apiKey }).listPets())
  expect(error.message).toBe(expected)
})
