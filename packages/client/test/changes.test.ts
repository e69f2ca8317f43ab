/** Tests categories and entity tags with the real service, and which changes the client repeats. */
import { createClient } from "@petstore/client"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { failureOf } from "./failure.js"
import { answer, drop, errorAnswer, startMisbehaving } from "./misbehaving-server.js"
import { startPetstore } from "./petstore.js"

// Makes waits as short as possible.
beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const apiKey = "pst_dev_x"
const dogs = { id: 7n, name: "Dogs" }

it("the client names, lists, renames and removes categories, and reports a change with an outdated entity tag", async () => {
  await using service = await startPetstore()
  const { categories, createPet, correctPet, getPet } = createClient(service)
  const made = await categories.replace(7n, { name: "Dogs" }, { ifNoneMatch: "*" })
  expect(made.value).toStrictEqual(dogs)
  expect((await categories.get(7n)).etag).toBe(made.etag)
  await categories.replace(-(2n ** 53n) - 1n, { name: "Cats" })
  expect((await categories.list({ limit: 1 })).value.items).toStrictEqual([{ id: -(2n ** 53n) - 1n, name: "Cats" }])
  expect(await Array.fromAsync(categories.listAll({ limit: 1 }))).toHaveLength(2)

  const { etag: ifMatch } = made
  expect((await categories.replace(7n, { name: "Hounds" }, { ifMatch })).value).toStrictEqual({ id: 7n, name: "Hounds" })
  expect(await failureOf(categories.remove(7n, { ifMatch }))).toMatchObject({ code: "precondition_failed", status: 412 })
  const removed = await categories.remove(7n)
  expect(removed).toStrictEqual({
    value: undefined,
    etag: undefined,
    requestId: removed.headers["x-request-id"],
    headers: expect.any(Object),
  })
  expect(await failureOf(categories.get(7n))).toMatchObject({ code: "category_not_found" })

  const { value: pet, etag } = await createPet({ name: "Belo", categoryId: 7n })
  const corrected = await correctPet(pet.id, { name: "Bello" }, { ifMatch: etag })
  expect(corrected.value.name).toBe("Bello")
  expect((await getPet(pet.id)).etag).toBe(corrected.etag)
  expect(await failureOf(correctPet(pet.id, { name: "Rex" }, { ifMatch: etag }))).toMatchObject({
    code: "precondition_failed",
  })
})

it("the client brings a removed pet back", async () => {
  await using service = await startPetstore()
  const { createPet, removePet, restorePet, getPet } = createClient(service)
  const { value: pet, etag } = await createPet({ name: "Bello", categoryId: 7n, status: "sold" })
  await removePet(pet.id)
  expect(await restorePet(pet.id)).toMatchObject({ value: pet, etag })
  expect((await restorePet(pet.id)).value).toStrictEqual(pet)
  expect((await getPet(pet.id)).value).toStrictEqual(pet)
  expect(await failureOf(restorePet(pet.id + 1n))).toMatchObject({ code: "pet_not_found", status: 404 })
})

it("a result keeps its entity tag in copies, in persisted state and behind reactive proxies", async () => {
  await using service = await startPetstore()
  const { createPet, getPet, correctPet } = createClient(service)
  const result = await createPet({ name: "Belo", categoryId: 7n })
  const { id } = result.value
  const text = JSON.stringify(result, (_name, value) => (typeof value === "bigint" ? String(value) : value))
  // Vue and Svelte wrap state in proxies, which only plain objects allow.
  const reactive = new Proxy(result, { get: (target, name) => new Proxy(Reflect.get(Object(target), name), {}) })
  expect(reactive.headers["x-request-id"]).toBe(result.requestId)
  for (const copy of [{ ...result }, structuredClone(result), JSON.parse(text)]) {
    expect(copy).toStrictEqual({ ...result, value: copy.value })
  }
  const edited = structuredClone(await getPet(id))
  await correctPet(id, { name: "Bello" }, { ifMatch: edited.etag })
  expect(await failureOf(correctPet(id, { name: "Rex" }, { ifMatch: edited.etag }))).toMatchObject({
    code: "precondition_failed",
  })
})

it("the client does not overwrite an item whose ETag a proxy removed, unless the caller wants that", async () => {
  const named = answer(200, { id: 7, name: "Dogs" })
  await using server = await startMisbehaving(named, named)
  const { categories } = createClient({ ...server, apiKey })
  const { etag: ifMatch } = await categories.get(7n)
  const refused = await failureOf(categories.replace(7n, { name: "Dogs" }, { ifMatch }))
  expect(refused).toMatchObject({
    code: "missing_etag",
    status: undefined,
    attempts: 0,
    advice: expect.stringMatching(/a proxy removes it/),
  })
  expect(refused.message).not.toContain("may have happened")
  expect(server.arrived).toHaveLength(1)
  expect((await categories.replace(7n, { name: "Dogs" }, { ifMatch: ifMatch ?? "*" })).value).toStrictEqual(dogs)
  expect(server.arrived[1]?.headers["if-match"]).toBe("*")
})

describe("a change whose response was lost", () => {
  const named = answer(200, { id: 7, name: "Dogs" })

  it("is repeated if it is unconditional or a removal; a 404 to a repeated removal is a success", async () => {
    await using put = await startMisbehaving(drop, named)
    expect((await createClient({ ...put, apiKey }).categories.replace(7n, { name: "Dogs" })).value).toStrictEqual(dogs)
    expect(put.arrived.map(({ method, url }) => `${method} ${url}`)).toStrictEqual(Array(2).fill("PUT /v1/categories/7"))
    await using removal = await startMisbehaving(drop, errorAnswer(404, "category_not_found"))
    const removed = await createClient({ ...removal, apiKey }).categories.remove(7n, { ifMatch: '"a"' })
    const requestId = removal.arrived[0]?.headers["x-request-id"]
    expect(removed).toStrictEqual({ value: undefined, etag: undefined, requestId, headers: {} })
    for (const [before, notFound] of [
      [drop, answer(404, "<h1>Not Found</h1>")],
      [drop, errorAnswer(404, "route_not_found")],
      [errorAnswer(429, "rate_limited"), errorAnswer(404, "category_not_found")],
    ] as const) {
      await using server = await startMisbehaving(before, notFound)
      expect(await failureOf(createClient({ ...server, apiKey }).categories.remove(7n))).toMatchObject({
        status: 404,
        attempts: 2,
      })
    }
    await using first = await startMisbehaving(errorAnswer(404, "category_not_found"))
    expect(await failureOf(createClient({ ...first, apiKey }).categories.remove(7n))).toMatchObject({ attempts: 1 })
  })

  it("is not repeated if it is a replacement with a condition, because the condition holds only once", async () => {
    for (const failing of [drop, errorAnswer(503, "storage_unavailable"), errorAnswer(500, "internal_error")]) {
      await using server = await startMisbehaving(failing, named)
      const replaced = createClient({ ...server, apiKey }).categories.replace(7n, { name: "Dogs" }, { ifMatch: '"a"' })
      const message = expect.stringContaining("The change may have happened, and then its condition no longer holds")
      expect(await failureOf(replaced)).toMatchObject({ attempts: 1, message })
    }
    await using limited = await startMisbehaving(errorAnswer(429, "rate_limited"), named)
    const replaced = createClient({ ...limited, apiKey }).categories.replace(7n, { name: "Dogs" }, { ifMatch: '"a"' })
    expect((await replaced).value).toStrictEqual(dogs)
    expect(limited.arrived[1]?.headers["if-match"]).toBe('"a"')
  })
})
