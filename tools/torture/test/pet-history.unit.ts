/** The check of corrections and removals must detect every kind of fault. Otherwise a successful run would not prove anything. */
import type { Pet } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import { describe, expect, it } from "vitest"
import { checkPets } from "../src/check.ts"
import { Ledger } from "../src/ledger.ts"
import type { Asked, Change } from "../src/pet-history.ts"

/** A ledger with one acknowledged pet, which is available. */
const withPet = () => {
  const ledger = new Ledger()
  const random = new Random(1)
  const intent = ledger.newPet(random)
  ledger.pets.sending(intent)
  const pet: Pet = { id: 1n, ...intent.given }
  ledger.acknowledgePet(intent, pet)
  const known = ledger.pets.knownOf(1n) ?? expect.fail("the pet is unknown")
  const ask = (change: Change): Asked => ledger.changing(known, change)[0] ?? expect.fail("nothing was requested")
  const corrected: Pet = { ...pet, name: ledger.newName(known, random), categoryId: 77n }
  const correction = { name: corrected.name, categoryId: 77n }
  const check = (...pets: ReadonlyArray<Pet>) => {
    const { lost, altered, doubled, resurrected } = checkPets(pets, ledger)
    return { lost, altered, doubled, resurrected }
  }
  return { ledger, random, known, pet, corrected, correction, ask, check }
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
    const { ledger, known, pet, corrected, correction, ask, check } = withPet()
    const refused = ask({ name: "refused" })
    ledger.historyOf(1n).refused(refused)
    expect(check({ ...pet, name: "refused" })).toStrictEqual({ ...well, altered: 1 })
    ledger.changed(known, ask(correction), corrected)
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
    expect(check(corrected)).toStrictEqual(well)
    expect(ledger.changes).toBe(1)
  })

  it("must not take effect again after a later correction", () => {
    const { ledger, random, known, corrected, correction, ask, check } = withPet()
    ledger.changed(known, ask(correction), corrected)
    const later = { ...corrected, name: ledger.newName(known, random) }
    ledger.changed(known, ask({ name: later.name }), later)
    expect(check(later)).toStrictEqual(well)
    expect(check(corrected)).toStrictEqual({ ...well, altered: 1 })
  })

  it("does not rule out a later correction when a read shows the earlier one", () => {
    const { ledger, random, known, pet, corrected, correction, ask, check } = withPet()
    ask(correction)
    const later = { ...corrected, name: ledger.newName(known, random) }
    const asked = ask({ name: later.name })
    expect(check(corrected)).toStrictEqual(well)
    ledger.changed(known, asked, later)
    expect(check(later)).toStrictEqual(well)
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
  })

  it("sets or removes the status, which then only orders can change", () => {
    const { ledger, random, known, pet, ask, check } = withPet()
    const { status: _, ...without } = pet
    ledger.changed(known, ask({ status: undefined }), without)
    expect(check(pet)).toStrictEqual({ ...well, altered: 1 })
    ledger.changed(known, ask({ status: "available" }), { ...pet, status: "available" })
    expect(check({ ...pet, status: "pending" })).toStrictEqual({ ...well, altered: 1 })
    ledger.sendingOrder(ledger.newOrderOf(1n, random))
    expect(check({ ...pet, status: "pending" })).toStrictEqual(well)
  })

  it("makes the former values stale for reads that begin after the acknowledgement", () => {
    const { ledger, known, pet, corrected, correction, ask } = withPet()
    const before = performance.now()
    ledger.changed(known, ask(correction), corrected)
    ledger.showPet(known, pet, before)
    expect(ledger.takeProblems()).toStrictEqual([])
    ledger.showPet(known, pet, performance.now())
    expect(ledger.stale).toBe(1)
  })
})

describe("a removal", () => {
  it("leaves the pet present or absent until it is acknowledged, and absent afterwards", () => {
    const { ledger, known, pet, ask, check } = withPet()
    expect(check()).toStrictEqual({ ...well, lost: 1 })
    const asked = ask("remove")
    expect(check(pet)).toStrictEqual(well)
    ledger.changed(known, asked)
    expect(check()).toStrictEqual(well)
    expect(check(pet)).toMatchObject({ resurrected: 1 })
  })

  it("is final after a read does not find the pet, even if the removal is requested again", () => {
    const { ledger, known, pet, corrected, correction, ask, check } = withPet()
    ask("remove")
    expect(check()).toStrictEqual(well)
    ledger.changed(known, ask("remove"))
    expect(check()).toStrictEqual(well)
    expect(check(pet)).toMatchObject({ resurrected: 1 })
    ledger.changed(known, ask(correction), corrected)
    expect(ledger.takeProblems()).toContainEqual(expect.stringContaining("a correction of removed pet 1 was acknowledged"))
  })
})
