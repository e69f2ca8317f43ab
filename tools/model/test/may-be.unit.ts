import { describe, expect, it } from "vitest"
import { MayBe } from "../src/may-be.ts"
import { type Cell, changing, closing, ordering } from "../src/rules.ts"

const nameOf = ({ values, orders }: Cell): string => JSON.stringify([values?.name, values?.status, [...orders].map(String)])

/** The possible states of an available pet. The clock advances with each call. */
const newPet = () => {
  let millis = 0
  const first: Cell = { values: { name: "Bello", categoryId: 1n, status: "available" }, orders: new Map() }
  return new MayBe(first, nameOf, () => ++millis)
}

const statusesOf = (pet: MayBe<Cell>) => pet.states.map(({ values }) => values?.status).sort()

describe("MayBe", () => {
  it("lets a request without a response happen or not, until a read shows which", () => {
    const pet = newPet()
    pet.ask(ordering(1n))
    expect(statusesOf(pet)).toStrictEqual(["available", "pending"])
    expect(pet.shows(({ values }) => values?.status === "pending", 2)).toBe(true)
    expect(statusesOf(pet)).toStrictEqual(["pending"])
    expect(pet.shows(({ values }) => values?.status === "available", 99)).toBe(false)
  })

  it("lets one of several concurrent orders succeed, and the others be refused", () => {
    const pet = newPet()
    const [first, second] = [pet.ask(ordering(1n)), pet.ask(ordering(2n))]
    expect(pet.done(second)).toBe(true)
    expect(pet.refused(first, "pet_not_found")).toBe(false)
    expect(pet.refused(first, "pet_not_available")).toBe(true)
    expect(pet.do(ordering(3n))).toBe("pet_not_available")
    expect(pet.done(pet.ask(ordering(4n)))).toBe(false)
  })

  it("never lets a change happen after a later one", () => {
    const pet = newPet()
    pet.ask(changing({ name: "Ada" }), pet.nextTurn())
    expect(pet.done(pet.ask(changing({ name: "Coco" }), pet.nextTurn()))).toBe(true)
    expect(pet.states.map(({ values }) => values?.name)).toStrictEqual(["Coco"])
    expect(pet.isCertain(({ values }) => values?.name === "Coco", 99)).toBe(true)
  })

  it("judges nothing once too many states are possible", () => {
    const pet = newPet()
    for (let place = 0; place < 12; place += 1) pet.ask(changing({ name: `Name ${place}` }))
    expect(pet.isLost).toBe(true)
    expect(pet.shows(({ values }) => values?.name === "Coco", 99)).toBe(true)
    expect(pet.isCertain(() => true, 99)).toBe(false)
  })

  it("has few states while many equal requests have no response", () => {
    const pet = newPet()
    pet.do(ordering(1n))
    const closings = Array.from({ length: 20 }, () => pet.ask(closing(1n, "cancel")))
    expect(pet.states.length).toBeLessThan(30)
    for (const one of closings) expect(pet.done(one)).toBe(true)
    expect(statusesOf(pet)).toStrictEqual(["available"])
  })
})
