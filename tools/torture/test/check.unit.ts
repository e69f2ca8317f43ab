/** The check must detect every kind of fault. Otherwise a successful run would not prove anything. */
import type { Pet } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import { describe, expect, it } from "vitest"
import { checkPets } from "../src/check.ts"
import { Ledger } from "../src/ledger.ts"

/** A ledger with three acknowledged pets, whose ids are 1 to 3, and a matching catalogue. */
const agreeing = () => {
  const ledger = new Ledger()
  const random = new Random(1)
  const pets = [1n, 2n, 3n].map((id): Pet => {
    const intent = ledger.newPet(random)
    ledger.pets.sending(intent)
    const pet = { id, ...intent.given }
    ledger.acknowledgePet(intent, pet)
    return pet
  })
  return { ledger, random, pets }
}

const well = { acknowledged: 3, found: 3, lost: 0, doubled: 0, altered: 0, resurrected: 0 }

/** Puts a pet in place of the second one. */
const withSecond = ([first, second, third]: ReadonlyArray<Pet>, change: (pet: Pet) => ReadonlyArray<Pet>): ReadonlyArray<Pet> =>
  first === undefined || second === undefined || third === undefined ? [] : [first, ...change(second), third]

describe("checkPets", () => {
  it("accepts a catalogue with the acknowledged pets", () => {
    const { ledger, pets } = agreeing()
    expect(checkPets(pets, ledger)).toStrictEqual(well)
    expect(ledger.takeProblems()).toStrictEqual([])
  })

  it("allows one pet for a request that was never acknowledged", () => {
    const { ledger, random, pets } = agreeing()
    const unknown = ledger.newPet(random)
    ledger.pets.sending(unknown)
    expect(checkPets([...pets, { id: 4n, ...unknown.given }], ledger)).toStrictEqual(well)
    const twice = checkPets([...pets, { id: 4n, ...unknown.given }, { id: 5n, ...unknown.given }], ledger)
    expect(twice).toStrictEqual({ ...well, doubled: 1 })
  })

  it("counts one pet per idempotency key, even if the key was sent repeatedly", () => {
    const { ledger, random, pets } = agreeing()
    let keyed = ledger.newPet(random)
    while (keyed.idempotencyKey === undefined) keyed = ledger.newPet(random)
    for (let sent = 0; sent < 5; sent += 1) ledger.pets.sending(keyed)
    expect(checkPets([...pets, { id: 4n, ...keyed.given }, { id: 5n, ...keyed.given }], ledger).doubled).toBe(1)
  })

  it("detects a pet from a request that was cut off", () => {
    const { ledger, random, pets } = agreeing()
    const cut = ledger.newPet(random)
    expect(checkPets([...pets, { id: 4n, ...cut.given }], ledger).doubled).toBe(1)
  })

  it("detects a missing pet", () => {
    const { ledger, pets } = agreeing()
    expect(
      checkPets(
        withSecond(pets, () => []),
        ledger,
      ),
    ).toStrictEqual({ ...well, found: 2, lost: 1 })
  })

  it("detects a pet that is listed twice", () => {
    const { ledger, pets } = agreeing()
    expect(
      checkPets(
        withSecond(pets, (pet) => [pet, pet]),
        ledger,
      ),
    ).toStrictEqual({ ...well, doubled: 1 })
  })

  it.each([
    ["name", { name: "another" }],
    ["category", { categoryId: 424_242n }],
    ["status", { status: "unheard of" }],
  ])("detects a pet with a different %s", (_what, change) => {
    const { ledger, pets } = agreeing()
    const findings = checkPets(
      withSecond(pets, (pet) => [{ ...pet, ...change }]),
      ledger,
    )
    expect(findings).toStrictEqual({ ...well, found: 2, altered: 1 })
  })

  it("detects a pet that no request created", () => {
    const { ledger, pets } = agreeing()
    expect(checkPets([...pets, { id: 4n, name: "unknown", categoryId: 1n }], ledger)).toStrictEqual({ ...well, altered: 1 })
  })

  it("detects an id that was assigned to two pets", () => {
    const { ledger, random, pets } = agreeing()
    const other = ledger.newPet(random)
    ledger.pets.sending(other)
    ledger.acknowledgePet(other, { id: 2n, ...other.given })
    expect(checkPets(pets, ledger).doubled).toBe(1)
  })

  it("detects pages that are out of order", () => {
    const { ledger, pets } = agreeing()
    checkPets(pets.toReversed(), ledger)
    expect(ledger.takeProblems()).toHaveLength(2)
  })
})
