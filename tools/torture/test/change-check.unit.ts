/** The check of corrections and removals must detect every kind of fault. Otherwise a successful run would not prove anything. */
import type { Pet } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import type { Sent } from "@petstore/model/clients"
import type { Change } from "@petstore/model/rules"
import { describe, expect, it } from "vitest"
import { checkPets } from "../src/check.ts"
import { RandomModel } from "../src/random-model.ts"

/** A model with one acknowledged pet, which is available. */
const withPet = () => {
  const model = new RandomModel()
  const random = new Random(1)
  const intent = model.newPet(random)
  model.pets.sending(intent)
  const pet: Pet = { id: 1n, ...intent.given }
  model.acknowledgePet(intent, pet)
  const known = model.pets.knownOf(1n) ?? expect.fail("the pet is unknown")
  const ask = (change: Change): Sent => model.changing(known, change)
  const corrected: Pet = { ...pet, name: model.newName(known, random), categoryId: 77n }
  const correction = { name: corrected.name, categoryId: 77n }
  const check = (...pets: ReadonlyArray<Pet>) => {
    const { lost, altered, doubled, resurrected } = checkPets(pets, model)
    return { lost, altered, doubled, resurrected }
  }
  return { model, random, known, pet, corrected, correction, ask, check }
}

const well = { lost: 0, altered: 0, doubled: 0, resurrected: 0 }

describe("a correction", () => {
  it("has happened entirely or not at all while its outcome is unknown", () => {
    const { pet, corrected, correction, ask, check } = withPet()
    expect(check(corrected)).toStrictEqual({ ...well, altered: 1 })
    ask(correction)
    expect(check(pet)).toStrictEqual(well)
    expect(check({ ...corrected, categoryId: pet.categoryId })).toStrictEqual({ ...well, altered: 1 })
    expect(check(corrected)).toStrictEqual(well)
    // A read has shown the correction, so it has happened.
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
  })

  it("must be present after its acknowledgement, and absent after its refusal", () => {
    const { model, known, pet, corrected, correction, ask, check } = withPet()
    const refused = ask({ name: "refused" })
    expect(model.refused(known, refused, "pet_reserved")).toBe(false)
    expect(check({ ...pet, name: "refused" })).toStrictEqual({ ...well, altered: 1 })
    model.changed(known, ask(correction), corrected)
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
    expect(check(corrected)).toStrictEqual(well)
    expect(model.changes).toBe(1)
  })

  it("must not take effect again after a later correction", () => {
    const { model, random, known, corrected, correction, ask, check } = withPet()
    model.changed(known, ask(correction), corrected)
    const later = { ...corrected, name: model.newName(known, random) }
    model.changed(known, ask({ name: later.name }), later)
    expect(check(later)).toStrictEqual(well)
    expect(check(corrected)).toStrictEqual({ ...well, altered: 1 })
  })

  it("does not rule out a later correction when a read shows the earlier one", () => {
    const { model, random, known, pet, corrected, correction, ask, check } = withPet()
    ask(correction)
    const later = { ...corrected, name: model.newName(known, random) }
    const asked = ask({ name: later.name })
    expect(check(corrected)).toStrictEqual(well)
    model.changed(known, asked, later)
    expect(check(later)).toStrictEqual(well)
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
  })

  it("sets or removes the status, which then only orders can change", () => {
    const { model, random, known, pet, ask, check } = withPet()
    const { status: _, ...without } = pet
    model.changed(known, ask({ status: undefined }), without)
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
    model.changed(known, ask({ status: "available" }), { ...pet, status: "available" })
    expect(check({ ...pet, status: "pending" })).toStrictEqual({ ...well, altered: 1 })
    model.sendingOrder(model.newOrderOf(1n, random))
    expect(check({ ...pet, status: "pending" })).toStrictEqual(well)
  })

  it("makes the former values stale for reads that begin after the acknowledgement", () => {
    const { model, known, pet, corrected, correction, ask } = withPet()
    const before = performance.now()
    model.changed(known, ask(correction), corrected)
    model.showPet(known, pet, before)
    expect(model.takeProblems()).toStrictEqual([])
    model.showPet(known, pet, performance.now())
    expect(model.stale).toBe(1)
  })
})

describe("a removal", () => {
  it("leaves the pet present or absent until it is acknowledged, and absent afterwards", () => {
    const { model, known, pet, ask, check } = withPet()
    expect(check()).toStrictEqual({ ...well, lost: 1 })
    const asked = ask("remove")
    expect(check(pet)).toStrictEqual(well)
    model.changed(known, asked)
    expect(check()).toStrictEqual(well)
    expect(check(pet)).toMatchObject({ resurrected: 1 })
  })

  it("is final after a read does not find the pet, even if the removal is requested again", () => {
    const { model, known, pet, corrected, correction, ask, check } = withPet()
    ask("remove")
    expect(check()).toStrictEqual(well)
    expect(model.refused(known, ask("remove"), "pet_not_found")).toBe(true)
    expect(check()).toStrictEqual(well)
    expect(check(pet)).toMatchObject({ resurrected: 1 })
    model.changed(known, ask(correction), corrected)
    expect(model.takeProblems()).toContainEqual(expect.stringContaining("a correction of removed pet 1 was acknowledged"))
  })
})
