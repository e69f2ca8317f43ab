/** The check must detect every kind of fault. Otherwise a successful run would not prove anything. */
import type { Pet } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import { describe, expect, it } from "vitest"
import { checkPets } from "../src/check.ts"
import { RandomModel } from "../src/random-model.ts"

/** A model with three acknowledged pets, whose ids are 1 to 3, and a matching catalogue. */
const agreeing = () => {
  const model = new RandomModel()
  const random = new Random(1)
  const pets = [1n, 2n, 3n].map((id): Pet => {
    const intent = model.newPet(random)
    model.pets.sending(intent)
    const pet = { id, ...intent.given }
    model.acknowledgePet(intent, pet)
    return pet
  })
  return { model, random, pets }
}

const well = { acknowledged: 3, found: 3, lost: 0, doubled: 0, altered: 0, resurrected: 0 }

/** Puts a pet in place of the second one. */
const withSecond = ([first, second, third]: ReadonlyArray<Pet>, change: (pet: Pet) => ReadonlyArray<Pet>): ReadonlyArray<Pet> =>
  first === undefined || second === undefined || third === undefined ? [] : [first, ...change(second), third]

describe("checkPets", () => {
  it("accepts a catalogue with the acknowledged pets", () => {
    const { model, pets } = agreeing()
    expect(checkPets(pets, model)).toStrictEqual(well)
    expect(model.takeProblems()).toStrictEqual([])
  })

  it("allows one pet for a request that was never acknowledged", () => {
    const { model, random, pets } = agreeing()
    const unknown = model.newPet(random)
    model.pets.sending(unknown)
    expect(checkPets([...pets, { id: 4n, ...unknown.given }], model)).toStrictEqual(well)
    const twice = checkPets([...pets, { id: 4n, ...unknown.given }, { id: 5n, ...unknown.given }], model)
    expect(twice).toStrictEqual({ ...well, doubled: 1 })
  })

  it("counts one pet per idempotency key, even if the key was sent repeatedly", () => {
    const { model, random, pets } = agreeing()
    let keyed = model.newPet(random)
    while (keyed.idempotencyKey === undefined) keyed = model.newPet(random)
    for (let sent = 0; sent < 5; sent += 1) model.pets.sending(keyed)
    expect(checkPets([...pets, { id: 4n, ...keyed.given }, { id: 5n, ...keyed.given }], model).doubled).toBe(1)
  })

  it("detects a pet from a request that was cut off", () => {
    const { model, random, pets } = agreeing()
    const cut = model.newPet(random)
    expect(checkPets([...pets, { id: 4n, ...cut.given }], model).doubled).toBe(1)
  })

  it("detects a missing pet", () => {
    const { model, pets } = agreeing()
    expect(
      checkPets(
        withSecond(pets, () => []),
        model,
      ),
    ).toStrictEqual({ ...well, found: 2, lost: 1 })
  })

  it("detects a pet that is listed twice", () => {
    const { model, pets } = agreeing()
    expect(
      checkPets(
        withSecond(pets, (pet) => [pet, pet]),
        model,
      ),
    ).toStrictEqual({ ...well, doubled: 1 })
  })

  it.each([
    ["name", { name: "another" }],
    ["category", { categoryId: 424_242n }],
    ["status", { status: "unheard of" }],
  ])("detects a pet with a different %s", (_what, change) => {
    const { model, pets } = agreeing()
    const findings = checkPets(
      withSecond(pets, (pet) => [{ ...pet, ...change }]),
      model,
    )
    expect(findings).toStrictEqual({ ...well, found: 2, altered: 1 })
  })

  it("detects a pet that no request created", () => {
    const { model, pets } = agreeing()
    expect(checkPets([...pets, { id: 4n, name: "unknown", categoryId: 1n }], model)).toStrictEqual({ ...well, altered: 1 })
  })

  it("detects an id that was assigned to two pets", () => {
    const { model, random, pets } = agreeing()
    const other = model.newPet(random)
    model.pets.sending(other)
    model.acknowledgePet(other, { id: 2n, ...other.given })
    expect(checkPets(pets, model).doubled).toBe(1)
  })

  it("detects pages that are out of order", () => {
    const { model, pets } = agreeing()
    checkPets(pets.toReversed(), model)
    expect(model.takeProblems()).toHaveLength(2)
  })
})
