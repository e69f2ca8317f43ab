import { Data, Effect, Exit, Fiber, Layer, Option, Stream } from "effect"
import { expect, it } from "vitest"
import { operations } from "../src/contract/operations.js"
import { queryParameterNames } from "../src/contract/parameters.js"
import { toErrorObject } from "../src/contract/request-failure.js"
import { createPet, PetRepository, StorageUnavailable, streamPets } from "../src/index.js"
import * as entry from "../src/promise/index.js"
import {
  type CallSignal,
  decodeAuthorization,
  decodeCategoryId,
  decodeCategoryQuery,
  decodeIdempotencyKey,
  decodeNewCategory,
  decodeNewOrder,
  decodeNewPet,
  decodeOrder,
  decodeOrderQuery,
  decodePet,
  decodePetCorrection,
  decodePetId,
  decodePetQuery,
  isListFailed,
  type NewPet,
  openCatalogue,
  type Pet,
  type PromisePetRepository,
  parseNewCategory,
  parseNewPet,
  parseOrder,
  parsePet,
  parsePetCorrection,
  storageUnavailable,
} from "../src/promise/index.js"
import { catalogueOf, promisePetRepository } from "../src/promise/layer.js"
import { petRepositoryContract } from "../src/testing/index.js"
import { modelPetRepository } from "./model-pet-repository.js"

petRepositoryContract(
  "an adapter of plain promises",
  promisePetRepository(() => modelPetRepository()),
  {
    lasting: () => {
      const pets = modelPetRepository()
      return promisePetRepository(() => pets)
    },
    unavailable: promisePetRepository(() => {
      const refuse = () => Promise.reject(storageUnavailable("away"))
      // Safe: every member returns a promise.
      return Object.fromEntries(
        Object.keys(modelPetRepository()).map((name) => [name, refuse]),
      ) as unknown as PromisePetRepository
    }),
  },
)

it("petRepositoryContract refuses a `lasting` that is not a function", () => {
  const layer = promisePetRepository(() => modelPetRepository())
  const runner = { describe: (_: string, declare: () => void) => declare(), it: () => undefined }
  // @ts-expect-error: `lasting` is a function
  const declare = () => petRepositoryContract("a map", layer, { lasting: layer, runner })
  expect(declare).toThrow("`lasting` must be a function that prepares an empty store and returns a layer")
})

/** A global that every platform has. */
declare const URLSearchParams: new (text?: string) => object

const opened = (pets: Partial<PromisePetRepository> = {}) => openCatalogue(() => ({ ...modelPetRepository(), ...pets }))

const bello = { name: "Bello", categoryId: 2n ** 53n + 1n, status: "sold" } as const satisfies NewPet

it("a catalogue creates, gets and lists pets with exact integers past 2^53", async () => {
  const catalogue = await opened()
  const created = await catalogue.createPet(bello)
  const pet = { id: 1n, ...bello }
  expect(created).toStrictEqual({ ok: true, value: pet })
  expect(await catalogue.getPet(1n)).toStrictEqual({ ok: true, value: pet })
  expect(await catalogue.listPets()).toStrictEqual({ ok: true, value: { items: [pet] } })
  expect(await catalogue.listPets({ status: "pending" })).toStrictEqual({ ok: true, value: { items: [] } })
})

it("listPets includes the filter and the limit in the query for the next page", async () => {
  const catalogue = await opened()
  for (const name of ["Ada", "Bello", "Coco"]) await catalogue.createPet({ name, categoryId: 1n, status: "sold" })
  await catalogue.createPet({ name: "Dodo", categoryId: 1n })
  const names: Array<ReadonlyArray<string>> = []
  let query: Parameters<typeof catalogue.listPets>[0] = { status: "sold", limit: 2 }
  while (query !== undefined) {
    const page = await catalogue.listPets(query)
    if (!page.ok) throw new Error(page.error.message)
    names.push(page.value.items.map(({ name }) => name))
    expect(page.value.next === undefined || "cursor" in page.value.next).toBe(true)
    query = page.value.next
  }
  expect(names).toStrictEqual([["Ada", "Bello"], ["Coco"]])
})

it("a catalogue treats undefined members of a new pet and of a correction as absent", async () => {
  const catalogue = await opened()
  const created = await catalogue.createPet({ name: "Bello", categoryId: 1n, status: undefined })
  expect(created).toStrictEqual({ ok: true, value: { id: 1n, name: "Bello", categoryId: 1n } })
  const corrected = await catalogue.correctPet(1n, { name: "Ada", categoryId: undefined, status: undefined })
  expect(corrected).toStrictEqual({ ok: true, value: { id: 1n, name: "Ada", categoryId: 1n } })
  // @ts-expect-error: a stored pet has a status, or no such member
  const stored: Pet = { id: 1n, name: "Bello", categoryId: 1n, status: undefined }
  expect(stored.status).toBeUndefined()
})

it("createPet checks a pet that no decoder has checked, and does not store an invalid pet", async () => {
  const catalogue = await opened()
  const created = await catalogue.createPet({ name: " ", categoryId: 2n ** 63n })
  expect(created).toMatchObject({
    ok: false,
    error: { code: "invalid_body", status: 400 },
    problems: [{ field: "name" }, { field: "categoryId" }],
  })
  expect(await catalogue.listPets()).toStrictEqual({ ok: true, value: { items: [] } })
})

it("listPets names the invalid parameter of a query", async () => {
  const catalogue = await opened()
  for (const [query, field] of [
    [{ limit: 0 }, "limit"],
    [{ limit: 1.5 }, "limit"],
    [{ cursor: "made up" }, "cursor"],
  ] as const) {
    expect(await catalogue.listPets(query)).toMatchObject({
      ok: false,
      error: { code: "invalid_parameter" },
      problems: [{ field }],
      cause: undefined,
    })
  }
})

it("getPet fails with pet_not_found for an unassigned identifier, and for an identifier of more than 64 bits", async () => {
  const catalogue = await opened()
  for (const petId of [7n, -1n, 2n ** 70n]) {
    expect(await catalogue.getPet(petId)).toMatchObject({
      ok: false,
      error: { code: "pet_not_found", status: 404 },
      problems: [],
    })
  }
})

it("decodePetId reads an identifier exactly, and refuses other text as pet_not_found", () => {
  expect(decodePetId("9007199254740993")).toStrictEqual({ ok: true, value: 9007199254740993n })
  for (const text of ["07", "seven", "9223372036854775808", ""]) {
    expect(decodePetId(text)).toMatchObject({ ok: false, error: { code: "pet_not_found", status: 404 } })
  }
})

it("decodePetQuery decodes the limit, the filters, the order and the cursor of a query for listPets", async () => {
  expect(decodePetQuery(new URLSearchParams())).toStrictEqual({ ok: true, value: { limit: 20 } })
  const full = new URLSearchParams("limit=5&status=sold&id=9007199254740993&id=7&categoryId=-1&order=desc&other=x")
  expect(decodePetQuery(full)).toStrictEqual({
    ok: true,
    value: { limit: 5, status: "sold", id: [7n, 2n ** 53n + 1n], categoryId: -1n, order: "desc" },
  })

  const catalogue = await opened()
  for (const name of ["Ada", "Bello", "Coco"]) await catalogue.createPet({ name, categoryId: 7n, status: "sold" })
  const names: Array<ReadonlyArray<string>> = []
  let text: string | undefined = "status=sold&categoryId=7&order=desc&limit=2"
  while (text !== undefined) {
    const query = decodePetQuery(new URLSearchParams(text))
    if (!query.ok) throw new Error(query.error.message)
    const page = await catalogue.listPets(query.value)
    if (!page.ok) throw new Error(page.error.message)
    names.push(page.value.items.map(({ name }) => name))
    const cursor: string | undefined = page.value.next?.cursor
    text = cursor === undefined ? undefined : `status=sold&categoryId=7&order=desc&limit=2&cursor=${cursor}`
  }
  expect(names).toStrictEqual([["Coco", "Bello"], ["Ada"]])
})

it.each(["limit=0", "limit=1&limit=2", "status=lost", "id=x", "id=", "categoryId=1.5", "order=up", "cursor=x"])(
  "decodePetQuery refuses %s, and names the parameter",
  (text) => {
    const field = text.slice(0, text.indexOf("="))
    const decoded = decodePetQuery(new URLSearchParams(text))
    expect(decoded).toMatchObject({ ok: false, error: { code: "invalid_parameter", status: 400 }, problems: [{ field }] })
  },
)

it.each([
  ["listPets", decodePetQuery],
  ["listOrders", decodeOrderQuery],
  ["listCategories", decodeCategoryQuery],
] as const)("the decoder for %s refuses each of its parameters in another spelling", (operation, decode) => {
  const known = queryParameterNames(operations[operation].parameters)
  for (const name of known) {
    expect(decode(new URLSearchParams(`${name.toUpperCase()}=1`))).toMatchObject({ problems: [{ field: name }] })
  }
  expect(decode(new URLSearchParams("other=1"))).toMatchObject({ ok: true })
})

it("decodeAuthorization reads the API key from a header, and reports a missing key as missing_credential", () => {
  expect(decodeAuthorization("bearer  pst_dev_lost")).toStrictEqual({ ok: true, value: "pst_dev_lost" })
  for (const header of [undefined, null, "Basic eDp5", "Bearer "]) {
    expect(decodeAuthorization(header)).toMatchObject({ ok: false, error: { code: "missing_credential", status: 401 } })
  }
})

it("decodeIdempotencyKey reads a key with or without quotes, and refuses a malformed key", () => {
  for (const header of ['"order-7"', "order-7"]) {
    expect(decodeIdempotencyKey(header)).toStrictEqual({ ok: true, value: "order-7" })
  }
  // Node's type of a header is `string | string[] | undefined`.
  expect(decodeIdempotencyKey(["order-7", "order-8"])).toMatchObject({ error: { code: "invalid_parameter" } })
  for (const header of [undefined, null]) expect(decodeIdempotencyKey(header)).toStrictEqual({ ok: true, value: undefined })
  expect(decodeIdempotencyKey('"order-7')).toMatchObject({
    error: { code: "invalid_parameter" },
    problems: [{ field: "Idempotency-Key" }],
  })
})

it("the decoders read corrections, category names, identifiers and queries exactly, and refuse invalid input", () => {
  expect(parsePetCorrection('{"categoryId": 9007199254740993, "status": null, "id": 7}')).toStrictEqual({
    ok: true,
    value: { categoryId: 2n ** 53n + 1n, status: null },
  })
  expect(parsePetCorrection('{"name": ""}')).toMatchObject({ error: { code: "invalid_body" }, problems: [{ field: "name" }] })
  expect(parseNewCategory('{"name": "Dogs"}')).toStrictEqual({ ok: true, value: { name: "Dogs" } })
  expect(decodeCategoryId("-9007199254740993")).toStrictEqual({ ok: true, value: -9007199254740993n })
  expect(decodeCategoryId("dogs")).toMatchObject({ error: { code: "category_not_found", status: 404 } })
  expect(decodeOrderQuery(new URLSearchParams("status=placed&petId=9007199254740993"))).toStrictEqual({
    ok: true,
    value: { limit: 20, status: "placed", petId: 2n ** 53n + 1n },
  })
  expect(decodeCategoryQuery(new URLSearchParams("limit=3&status=sold"))).toStrictEqual({ ok: true, value: { limit: 3 } })
  for (const query of [decodeOrderQuery, decodeCategoryQuery]) {
    expect(query(new URLSearchParams("cursor=x"))).toMatchObject({ problems: [{ field: "cursor" }] })
  }
})

it("a catalogue reports what is wrong with values that TypeScript would refuse", async () => {
  const catalogue = await opened()
  // Safe: this test passes what a JavaScript caller may pass.
  const rounded = { ...bello, categoryId: JSON.parse("9007199254740993") } as NewPet
  expect(await catalogue.createPet(rounded)).toMatchObject({
    problems: [{ field: "categoryId", received: "9007199254740992, a number that may be rounded" }],
  })
  // Safe: this test passes what a JavaScript caller may pass.
  expect(await catalogue.createPets([bello] as unknown as [[NewPet]])).toMatchObject({
    problems: [{ field: "body", expected: "expected batches, each an array of pets", received: "an object" }],
  })
})

it("createPet returns an Error object with exactly three members if the store fails, and its error as `cause`", async () => {
  const lost = new Error("ENOSPC")
  const catalogue = await opened({ insert: () => Promise.reject(storageUnavailable(lost)) })
  expect(await catalogue.createPet(bello)).toStrictEqual({
    ok: false,
    error: toErrorObject(new StorageUnavailable({ cause: lost })),
    problems: [],
    cause: lost,
  })
})

it("getPet fails with storage_unavailable if the adapter's `find` throws synchronously", async () => {
  const lost = new Error("no file")
  const catalogue = await opened({
    find: () => {
      throw storageUnavailable(lost)
    },
  })
  expect(await catalogue.getPet(1n)).toMatchObject({ ok: false, error: { code: "storage_unavailable" }, cause: lost })
})

it("a mistake in an adapter is a defect with its own error, in every call and in the contract suite", async () => {
  const mine = new TypeError("my own bug", { cause: "a typo" })
  const broken = Object.fromEntries(Object.keys(modelPetRepository()).map((name) => [name, () => Promise.reject(mine)]))
  const { close: _, ...functions } = broken
  const catalogue = await opened(functions)
  const calls = [
    () => catalogue.createPet(bello),
    () => catalogue.createPetOnce(bello, "key"),
    () => catalogue.createPets([[bello]]),
    () => catalogue.getPet(1n),
    () => catalogue.correctPet(1n, {}),
    () => catalogue.removePet(1n),
    () => catalogue.listPets(),
    () => catalogue.listPets({ name: "be" }),
    () => catalogue.listAllPets().next(),
  ]
  for (const call of calls) await expect(call()).rejects.toBe(mine)
  const tests: Array<() => Promise<void>> = []
  const runner = {
    describe: (_name: string, declare: () => void) => declare(),
    it: (_name: string, test: () => Promise<void>) => tests.push(test),
  }
  const layer = promisePetRepository(() => ({ ...modelPetRepository(), insert: () => Promise.reject(mine) }))
  petRepositoryContract("a broken adapter", layer, { runner })
  const outcomes = await Promise.allSettled(tests.map((test) => test()))
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []))
  expect(reasons.length).toBeGreaterThan(20)
  expect(reasons.filter((reason) => reason !== mine)).toStrictEqual([])
})

it("openCatalogue names the mistake if its argument is not a function, or its result lacks one", async () => {
  // @ts-expect-error: `open` is a function
  await expect(openCatalogue({})).rejects.toThrow(new TypeError("open is not a function"))
  // @ts-expect-error: the repository lacks its functions
  const catalogue = await openCatalogue(() => ({}))
  await expect(catalogue.createPet(bello)).rejects.toThrow(new TypeError("pets.insert is not a function"))
})

it("getPet rejects if an adapter returns an identifier of more than 64 bits", async () => {
  const catalogue = await opened({ find: async (): Promise<Pet> => ({ id: 2n ** 63n, name: "Bello", categoryId: 1n }) })
  await expect(catalogue.getPet(1n)).rejects.toThrow("expected a 64-bit integer")
})

it("catalogueOf rejects with the store's own error if the store cannot be opened", async () => {
  class NotOpened extends Data.TaggedError("NotOpened")<{ readonly path: string }> {}
  await expect(catalogueOf(Layer.fail(new NotOpened({ path: "x" })))).rejects.toBeInstanceOf(NotOpened)
})

it("close closes the store only once, and later calls of other operations reject", async () => {
  let closed = 0
  const catalogue = await opened({
    close: async () => {
      closed += 1
    },
  })
  await catalogue.close()
  await catalogue.close()
  expect(closed).toBe(1)
  await expect(catalogue.listPets()).rejects.toThrow("The store is closed.")
})

it.each([
  ["rejects", () => Promise.reject(new Error("disk full"))],
  [
    "throws",
    () => {
      throw new Error("disk full")
    },
  ],
])("every call of close rejects with the store's own error if the store %s while closing", async (_, close) => {
  const failure = new Error("disk full")
  const catalogue = await opened({ close })
  for (const closing of [catalogue.close(), catalogue.close()]) await expect(closing).rejects.toStrictEqual(failure)
  await expect(catalogue.close()).rejects.toStrictEqual(failure)
  await expect(catalogue.listPets()).rejects.toThrow("The store is closed.")
  const layer = promisePetRepository(() => ({ ...modelPetRepository(), close }))
  expect(await Effect.runPromiseExit(Effect.provide(createPet(bello), layer))).toStrictEqual(Exit.die(failure))
})

it("every call of close waits until the store is closed", async () => {
  let isClosed = false
  const catalogue = await opened({
    close: async () => {
      await Effect.runPromise(Effect.sleep(5))
      isClosed = true
    },
  })
  void catalogue.close()
  await catalogue.close()
  expect(isClosed).toBe(true)
})

it("a catalogue treats undefined members of an adapter and of its results as absent", async () => {
  const store = modelPetRepository()
  const catalogue = await opened({
    close: undefined,
    search: async (search) => ({ next: undefined, pets: (await store.search(search)).pets }),
  })
  expect(await catalogue.listPets({ order: "desc" })).toStrictEqual({ ok: true, value: { items: [] } })
  await catalogue.close()
})

it("`await using` closes the store at the end of the block", async () => {
  let closed = 0
  {
    await using catalogue = await opened({
      close: async () => {
        closed += 1
      },
    })
    await catalogue.listPets()
  }
  expect(closed).toBe(1)
})

it("createPetOnce adds a pet once for an idempotency key, and refuses the key for another pet", async () => {
  const catalogue = await opened()
  const first = await catalogue.createPetOnce(bello, "order-7")
  expect(first).toStrictEqual({ ok: true, value: { id: 1n, ...bello }, isNew: true })
  expect(await catalogue.createPetOnce(bello, "order-7")).toStrictEqual({ ...first, isNew: false })
  expect(await catalogue.createPetOnce({ ...bello, name: "Ada" }, "order-7")).toMatchObject({
    ok: false,
    error: { code: "idempotency_key_reused", status: 422 },
  })
  // @ts-expect-error: in JavaScript a key may be missing
  const missing: string = undefined
  for (const key of ["a b", '"order-7"', "", missing])
    expect(await catalogue.createPetOnce(bello, key)).toMatchObject({ ok: false, error: { code: "invalid_parameter" } })
  expect(await catalogue.listPets()).toMatchObject({ value: { items: [{ id: 1n }] } })
})

it("createPetOnce separates the idempotency keys of different accounts, but not those of calls without an account", async () => {
  const catalogue = await opened()
  const ids = []
  for (const options of [{ accountId: "acc_1" }, { accountId: "acc_2" }, { accountId: "acc_1" }, {}, undefined]) {
    const created = await catalogue.createPetOnce(bello, "order-7", options)
    ids.push(created.ok && created.value.id)
  }
  expect(ids).toStrictEqual([1n, 2n, 1n, 3n, 3n])
})

const collect = async (pets: AsyncIterable<Pet>): Promise<ReadonlyArray<Pet>> => {
  const all: Array<Pet> = []
  for await (const pet of pets) all.push(pet)
  return all
}

it("listAllPets returns every pet, page by page, and throws the store's failure", async () => {
  const catalogue = await opened()
  for (let count = 0; count < 205; count += 1) await catalogue.createPet({ ...bello, name: `Pet ${count}` })
  const pets = await collect(catalogue.listAllPets())
  expect(pets.map(({ name }) => name)).toStrictEqual(Array.from({ length: 205 }, (_, count) => `Pet ${count}`))
  expect(await collect(catalogue.listAllPets({ status: "pending" }))).toStrictEqual([])
  const unavailable = await opened({ list: () => Promise.reject(storageUnavailable("away")) })
  const thrown: unknown = await unavailable
    .listAllPets()
    .next()
    .catch((error: unknown) => error)
  expect(thrown).toHaveProperty("message", "The database is unavailable. Try again.")
  expect(isListFailed(thrown) && thrown.cause.error.code).toBe("storage_unavailable")
  expect(isListFailed(new Error("a bug"))).toBe(false)
})

/** Core is compiled without the types of a platform. */
declare const AbortController: new () => { readonly signal: CallSignal; readonly abort: (reason: unknown) => void }

it("a call within a signal rejects with the signal's reason, even if the store never responds", async () => {
  const catalogue = await opened({ find: () => new Promise(() => undefined) })
  const controller = new AbortController()
  const limited = catalogue.within(controller.signal)
  expect(await limited.createPet(bello)).toMatchObject({ ok: true })
  const called = limited.getPet(1n)
  const page = limited.within(new AbortController().signal).getPet(1n)
  controller.abort("enough")
  await expect(called).rejects.toBe("enough")
  await expect(page).rejects.toBe("enough")
  await expect(limited.listAllPets().next()).rejects.toBe("enough")
  expect(await catalogue.listPets()).toMatchObject({ ok: true })

  const found: Array<bigint> = []
  const recording = await opened({
    find: async (id) => {
      found.push(id)
      return undefined
    },
  })
  const early = new AbortController()
  early.abort("before")
  await expect(recording.within(early.signal).getPet(1n)).rejects.toBe("before")
  expect(found).toStrictEqual([])
})

it("streamPets streams every pet to callers that use Effect", async () => {
  const store = modelPetRepository()
  const pets = promisePetRepository(() => store)
  const names = Array.from({ length: 200 }, (_, count) => `Pet ${count}`)
  const program = Effect.gen(function* () {
    for (const name of names) yield* createPet({ name, categoryId: 1n })
    return yield* Stream.runCollect(Stream.map(streamPets(), ({ name }) => name))
  })
  expect([...(await Effect.runPromise(Effect.provide(program, pets)))]).toStrictEqual(names)
})

it("streamPets accepts every filter of a list, and refuses an invalid filter", async () => {
  const pets = promisePetRepository(() => modelPetRepository())
  const program = Effect.gen(function* () {
    for (let count = 1n; count <= 205n; count += 1n)
      yield* createPet({ name: `Pet ${count % 2n}`, categoryId: count % 2n, ...(count > 3n && { status: "sold" }) })
    const ids = (filters: Parameters<typeof streamPets>[0]) =>
      Effect.map(Stream.runCollect(streamPets(filters)), (found) => Array.from(found, ({ id }) => id))
    const odd = Array.from({ length: 103 }, (_, index) => BigInt(2 * index + 1))
    expect(yield* ids({ categoryId: 1n })).toStrictEqual(odd)
    expect(yield* ids({ categoryId: 1n, order: "desc" })).toStrictEqual(odd.toReversed())
    expect(yield* ids({ name: "pet 1", order: undefined })).toStrictEqual(odd)
    expect(yield* ids({ categoryId: 1n, status: Option.some("sold") })).toStrictEqual(odd.slice(2))
    expect(yield* ids({ id: [7n, 404n, 8n], status: undefined })).toStrictEqual([7n, 8n])
    expect(yield* Effect.flip(Stream.runDrain(streamPets({ id: [] })))).toMatchObject({
      _tag: "InvalidParameter",
      parameter: "id",
    })
  })
  await Effect.runPromise(Effect.provide(program, pets))
})

it.each(Object.entries(entry).filter(([name]) => /^(?:decode|parse)/.test(name)))(
  "%s returns a result for every value that JavaScript may pass, and never throws",
  (_name, decode) => {
    const parameters = { limit: [{}], id: [[1n], null], status: Object.create(null) }
    const values = [undefined, null, "", 5, 1n, Symbol("s"), {}, Object.create(null), [], () => 1, new Map(), parameters]
    for (const value of values) {
      const outcome: unknown = Reflect.apply(Object(decode), undefined, [value])
      expect(outcome).toMatchObject({ ok: expect.any(Boolean) })
    }
  },
)

it("decodeNewPet and similar functions decode values that a framework has parsed", () => {
  const order = {
    id: 1,
    petId: 2,
    status: "placed",
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-02T03:04:05.678Z",
  }
  expect(decodeNewPet({ name: "Bello", categoryId: 7 })).toStrictEqual({ ok: true, value: { name: "Bello", categoryId: 7n } })
  expect(decodeNewPet({ name: "Bello", categoryId: 2 ** 53 })).toMatchObject({ error: { code: "invalid_body" } })
  expect(decodePet({ id: 1, name: "Bello", categoryId: 7 })).toMatchObject({ value: { id: 1n, categoryId: 7n } })
  expect(decodePetCorrection({ status: null })).toStrictEqual({ ok: true, value: { status: null } })
  expect(decodeNewOrder({ petId: 2 })).toStrictEqual({ ok: true, value: { petId: 2n } })
  expect(decodeOrder(order)).toMatchObject({ value: { id: 1n, createdAt: new Date(order.createdAt) } })
  expect(decodeNewCategory({ name: "Dogs" })).toStrictEqual({ ok: true, value: { name: "Dogs" } })
  // Fastify passes `undefined` for a POST without a body, and its type of a body is `unknown`.
  const { body }: { readonly body: unknown } = { body: undefined }
  expect(parseNewPet(body)).toMatchObject({
    error: { code: "invalid_json", message: expect.stringContaining("nothing instead of text") },
  })
})

it("decodePetQuery decodes the query objects of Express and Fastify as it decodes URLSearchParams", () => {
  const expected = { ok: true, value: { limit: 5, status: "sold", id: [1n, 2n] } }
  expect(decodePetQuery({ limit: "5", status: "sold", id: ["1", "2"] })).toMatchObject(expected)
  expect(decodePetQuery(new URLSearchParams("limit=5&status=sold&id=1&id=2"))).toMatchObject(expected)
  expect(decodePetQuery("?limit=5&status=sold&id=1&id=2")).toMatchObject(expected)
  const { query }: { readonly query: unknown } = { query: undefined } // Fastify's type of a query
  expect(decodePetQuery(query)).toStrictEqual({ ok: true, value: { limit: 20 } })
  expect(decodePetQuery({ limit: ["5", "6"] })).toMatchObject({ error: { code: "invalid_parameter" } })
  expect(decodePetQuery({ Status: "sold" })).toMatchObject({ error: { code: "invalid_parameter" } })
  expect(decodePetQuery({ page: "2" })).toMatchObject({ ok: true })
})

it("the parsers decode text with integers past 2^53, and report what is wrong with invalid text", () => {
  expect(parseNewPet('{"id": 7, "name": "Bello", "categoryId": 9007199254740993}')).toStrictEqual({
    ok: true,
    value: { name: "Bello", categoryId: 9007199254740993n },
  })
  expect(parsePet('{"id": 9007199254740993, "name": "Bello", "categoryId": 7}')).toStrictEqual({
    ok: true,
    value: { id: 9007199254740993n, name: "Bello", categoryId: 7n },
  })
  const timestamp = "2026-01-02T03:04:05.006Z"
  expect(
    parseOrder(`{"id": 1, "petId": 2, "status": "placed", "createdAt": "${timestamp}", "updatedAt": "${timestamp}"}`),
  ).toStrictEqual({
    ok: true,
    value: { id: 1n, petId: 2n, status: "placed", createdAt: new Date(timestamp), updatedAt: new Date(timestamp) },
  })
  expect(parseNewPet("{")).toMatchObject({ ok: false, error: { code: "invalid_json" }, problems: [] })
  expect(parseNewPet('{"name": "Bello"}')).toMatchObject({
    ok: false,
    error: { code: "invalid_body" },
    problems: [{ field: "categoryId", expected: "is required", received: "nothing" }],
  })
})

it("the type of a call names only codes with which the call can fail", async () => {
  const catalogue = await opened()
  const got = await catalogue.getPet(1n)
  if (got.ok) throw new Error("there is no pet")
  const code: "pet_not_found" | "storage_unavailable" = got.error.code
  expect(code).toBe("pet_not_found")
  // @ts-expect-error: getPet has no body that could be invalid
  expect(got.error.code === "invalid_body").toBe(false)
})

const one = [{ name: "Bello", categoryId: 1n }]

it.each([
  ["waits for the stream", Stream.concat(Stream.make(one), Stream.never), 0],
  ["writes", Stream.make(one, one), 5],
] as const)("an interruption while the adapter %s ends insertAll once the adapter has cleaned up", async (_, batches, millis) => {
  const events: Array<string> = []
  const pets = promisePetRepository(() => ({
    ...modelPetRepository(),
    insertAll: async (given) => {
      try {
        for await (const batch of given) {
          events.push(`${batch.length} pets`)
          await Effect.runPromise(Effect.sleep(millis))
        }
      } finally {
        await Effect.runPromise(Effect.sleep(1))
        events.push("given up")
      }
      return 0
    },
  }))
  const importing = Effect.gen(function* () {
    const repository = yield* PetRepository
    const fiber = yield* Effect.fork(repository.insertAll(batches))
    while (events.length === 0) yield* Effect.sleep(1)
    yield* Fiber.interrupt(fiber)
    return [...events]
  })
  expect(await Effect.runPromise(Effect.provide(importing, pets))).toStrictEqual(["1 pets", "given up"])
})

it("createPets adds all pets in the batches, or none if one breaks a rule or the iteration throws", async () => {
  const catalogue = await opened()
  const ended: Array<string> = []
  const batches = async function* (last: () => NewPet) {
    try {
      yield [bello, { ...bello, name: "Ada" }]
      yield [last()]
    } finally {
      ended.push("ended")
    }
  }
  expect(await catalogue.createPets(batches(() => ({ ...bello, name: "" })))).toMatchObject({
    error: { code: "invalid_body", message: expect.stringContaining("pets[2].name: ") },
    problems: [{ field: "pets[2].name" }],
  })
  const thrown = catalogue.createPets(
    batches(() => {
      throw new Error("The file is gone.")
    }),
  )
  await expect(thrown).rejects.toThrow("The file is gone.")
  expect(ended).toHaveLength(2)
  expect(await catalogue.listPets()).toMatchObject({ value: { items: [] } })
  expect(await catalogue.createPets([[bello], [bello, bello]])).toStrictEqual({ ok: true, value: 3 })
})

it("createPet and listPets do not throw synchronously if JavaScript passes an invalid argument", async () => {
  const catalogue = await opened()
  // @ts-expect-error: a pet is an object
  expect(await catalogue.createPet(undefined)).toMatchObject({ ok: false, error: { code: "invalid_body" } })
  // @ts-expect-error: a query is an object too
  await expect(catalogue.listPets(null)).rejects.toThrow(TypeError)
})

it("correctAll gives up if the pet changes before every attempt", async () => {
  let found = 0
  const pet: Pet = { id: 7n, ...bello }
  const outrun = promisePetRepository(() => ({
    ...modelPetRepository(),
    find: async () => {
      found += 1
      return pet
    },
    replace: async () => "changed",
  }))
  const corrected = Effect.flatMap(PetRepository, (pets) => pets.correctAll([[7n, { name: "Rex" }]]))
  expect(await Effect.runPromise(Effect.flip(Effect.provide(corrected, outrun)))).toBeInstanceOf(StorageUnavailable)
  expect(found).toBe(100)
})
