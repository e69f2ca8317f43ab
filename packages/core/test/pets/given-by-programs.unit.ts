/** Unlike the service, programs may pass arguments to the use cases without decoding them first. */
import { Effect, Either, Option, Stream } from "effect"
import { expect, it } from "vitest"
import {
  correctedPet,
  correctPet,
  createPet,
  createPetOnce,
  createPets,
  decodeOrderPageRequest,
  decodePetCorrection,
  listPets,
  newPetStandard,
  type PetPageRequest,
  type PetRepository,
} from "../../src/index.js"
import type { NewPet } from "../../src/pets/pet.js"
import { promisePetRepository } from "../../src/promise/layer.js"
import { modelPetRepository } from "../model-pet-repository.js"

const valid: NewPet = { name: "Bello", categoryId: 7n }
const everything = { limit: 20, status: Option.none(), after: Option.none() }
const claim = {
  accountId: "acc_1",
  operation: "createPet",
  key: "a-1",
  fingerprint: "00",
  claimedAt: new Date(0),
  expiresAt: new Date(1),
}

/** Runs a use case, and returns its outcome, the pets passed to `insert`, and the stored pets. */
const kept = async (useCase: Effect.Effect<unknown, unknown, PetRepository>) => {
  const given: Array<NewPet> = []
  const pets = modelPetRepository()
  const layer = promisePetRepository(() => ({
    ...pets,
    insert: (pet) => {
      given.push(pet)
      return pets.insert(pet)
    },
  }))
  const outcome = await Effect.runPromise(Effect.provide(Effect.either(useCase), layer))
  const list = await pets.list({ status: undefined, after: undefined, limit: 9 })
  return { outcome, given, list }
}

const invalid: ReadonlyArray<readonly [what: string, field: string, pet: unknown]> = [
  ["an empty name", "name", { ...valid, name: "" }],
  ["a lone surrogate", "name", { ...valid, name: "\ud800" }],
  ["a category of more than 64 bits", "categoryId", { ...valid, categoryId: 2n ** 80n }],
  ["a status that does not exist", "status", { ...valid, status: "lost" }],
  ["a missing pet", "body", undefined],
]

it("a decoded correction is not a decoded pet: createPet checks it, and refuses it without a name", async () => {
  // Safe: a caller in JavaScript may pass this.
  const correction = Either.getOrThrow(decodePetCorrection({ categoryId: 7 })) as NewPet
  const { outcome, list } = await kept(createPet(correction))
  expect(outcome).toMatchObject({ left: { _tag: "InvalidBody", problems: [{ field: "name" }] } })
  expect(list).toStrictEqual([])
})

it.each(invalid)("the use cases that create pets refuse %s, and store no pet", async (_, field, made) => {
  // Safe: a caller in JavaScript may pass this.
  const pet = made as NewPet
  for (const useCase of [createPet(pet), createPetOnce(pet, claim)]) {
    const { outcome, list } = await kept(useCase)
    expect(outcome).toMatchObject({ left: { _tag: "InvalidBody", problems: [{ field }] } })
    expect(list).toStrictEqual([])
  }
  const { outcome, list } = await kept(createPets(Stream.make([valid, valid], [valid, pet])))
  expect(outcome).toMatchObject({ left: { problems: [{ field: field === "body" ? "pets[3]" : `pets[3].${field}` }] } })
  expect(list).toStrictEqual([])
})

it("createPets adds all the pets in an iterable or async iterable of batches, or none of them", async () => {
  const batches = [[valid, { ...valid, status: "sold" as const }], [valid]]
  const slow = async function* () {
    yield* batches
  }
  for (const given of [batches, new Set(batches), slow()]) {
    const { outcome, list } = await kept(createPets(given))
    expect(outcome).toStrictEqual(Either.right(3))
    expect(list).toHaveLength(3)
  }
  const { outcome, list } = await kept(createPets([[valid], [{ ...valid, name: "" }]]))
  expect(outcome).toMatchObject({ left: { problems: [{ field: "pets[1].name" }] } })
  expect(list).toStrictEqual([])
})

it("createPets counts pets from 0 in each run", async () => {
  const importing = createPets(Stream.make([valid], [{ ...valid, name: "" }]))
  const { outcome } = await kept(Effect.zipRight(Effect.ignore(importing), importing))
  expect(outcome).toMatchObject({ left: { message: expect.stringMatching(/^pets\[1\]\.name: expected a string/) } })
})

it.each<readonly [parameter: string, request: object]>([
  ["limit", { limit: Number.NaN }],
  ["limit", { limit: 101 }],
  ["status", { status: Option.some("lost") }],
  ["status", { status: "lost" }],
  ["status", { status: null }],
  ["after", { after: Option.some(2n ** 80n) }],
  ["categoryId", { categoryId: 2n ** 80n }],
  ["id", { id: ["seven"] }],
  ["id", { id: [] }],
  ["status", { status: Option.some(undefined) }],
])("listPets refuses a request with an invalid %s", async (parameter, request) => {
  // Safe: a caller in JavaScript may pass this.
  const { outcome } = await kept(listPets({ ...everything, ...request } as PetPageRequest))
  expect(outcome).toMatchObject({ left: { _tag: "InvalidParameter", parameter } })
})

it("listPets checks a request that was decoded for another list", async () => {
  const ofOrders = Either.getOrThrow(decodeOrderPageRequest((name) => (name === "status" ? ["placed"] : [])))
  // Safe: a caller in JavaScript may pass this.
  const { outcome } = await kept(listPets(ofOrders as unknown as PetPageRequest))
  expect(outcome).toMatchObject({ left: { _tag: "InvalidParameter", parameter: "status" } })
})

it("listPets accepts either a plain status or an Option, including for the next page", async () => {
  for (const status of ["sold", Option.some("sold" as const)] as const) {
    const sold = { ...valid, status: "sold" as const }
    const { outcome } = await kept(
      Effect.gen(function* () {
        yield* createPets([[valid, sold, sold]])
        const { items, next } = yield* listPets({ status, limit: 1 })
        return [...items, ...(yield* listPets(yield* next)).items].map(({ id }) => id)
      }),
    )
    expect(outcome).toStrictEqual(Either.right([2n, 3n]))
  }
})

it("listPets starts with the first pet if a request omits all members", async () => {
  for (const request of [undefined, {}, { limit: undefined, status: undefined, after: undefined }]) {
    const { outcome } = await kept(Effect.zipRight(createPet(valid), listPets(request)))
    expect(outcome).toMatchObject({ right: { items: [{ id: 1n }] } })
  }
})

it("correctPet refuses a correction that breaks a rule, and does not change the pet", async () => {
  const { outcome, list } = await kept(Effect.flatMap(createPet(valid), ({ id }) => correctPet(id, { name: "" })))
  expect(outcome).toMatchObject({ left: { _tag: "InvalidBody", problems: [{ field: "name" }] } })
  expect(list).toStrictEqual([{ id: 1n, ...valid }])
})

it("the use cases treat undefined members of pets, corrections and filters as absent", async () => {
  const { outcome, list } = await kept(
    Effect.gen(function* () {
      yield* createPet({ ...valid, status: undefined })
      yield* correctPet(1n, { name: undefined, categoryId: 8n, status: undefined })
      return yield* listPets({
        ...everything,
        id: undefined,
        categoryId: 8n,
        name: undefined,
        withoutStatus: undefined,
        order: undefined,
      })
    }),
  )
  expect(list).toStrictEqual([{ id: 1n, ...valid, categoryId: 8n }])
  expect(outcome).toMatchObject({ right: { items: list } })
})

it("correctedPet keeps the pet's members that are undefined in the correction", () => {
  const pet = { id: 1n, ...valid, status: "sold" } as const
  expect(correctedPet(pet, { name: undefined, categoryId: undefined, status: undefined })).toStrictEqual(pet)
})

it("listPets returns every pet once, even if a program changes the limit of the request for the next page", async () => {
  const names = ["Ada", "Bello", "Cleo", "Dora"]
  const { outcome } = await kept(
    Effect.gen(function* () {
      yield* createPets(Stream.make(names.map((name) => ({ name, categoryId: 7n }))))
      const first = yield* listPets({ ...everything, limit: 1 })
      const second = yield* listPets(yield* first.next)
      const rest = yield* listPets({ ...(yield* second.next), limit: 9 })
      return [first, second, rest].flatMap(({ items, next }) => [...items.map(({ name }) => name), Option.isSome(next)])
    }),
  )
  expect(outcome).toStrictEqual(Either.right(["Ada", true, "Bello", true, "Cleo", "Dora", false]))
})

it("newPetStandard provides the rules for a new pet as a Standard Schema", () => {
  const { validate } = newPetStandard["~standard"]
  expect(validate({ name: "Bello", categoryId: 7, status: undefined })).toStrictEqual({ value: valid })
  expect(validate({ name: "", categoryId: 7 })).toStrictEqual({
    issues: [{ message: expect.stringMatching(/^expected a string .* got ""$/), path: ["name"] }],
  })
  expect(validate("Bello")).toStrictEqual({ issues: [{ message: 'expected a JSON object, got "Bello"', path: [] }] })
})
