/** Tests the form of writes, which processes of different releases can send to each other (`engine/shared-writer.ts`). */
import { Effect } from "effect"
import { expect } from "vitest"
import { newClaim } from "../../../core/src/testing/insert-once-promises.js"
import { greetingOf } from "../../src/sqlite/engine/shared-writer.js"
import { sqliteWrites } from "../../src/sqlite/writes.js"
import { otherConnection, storeIn, withFile } from "../sqlite-file.js"

// If an expectation here changes, increment the protocol number. With the same number, a release that receives
// `{ one, isNew }` instead of `{ value, isNew }` would acknowledge a pet without its identifier.
withFile("writes have the names and results of protocol 6", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(Effect.void, storeIn(path))
    const writes = sqliteWrites(yield* otherConnection(path))
    const pet = { name: "Ada", categoryId: 7n, status: "available" } as const
    const seen = { id: 1n, ...pet }
    const claim = newClaim()
    const orderClaim = newClaim({ operation: "createOrder", claimedAt: new Date(2) })
    const first = [1n, 1n, "placed", 1n, 1n]
    const second = [2n, 2n, "placed", 2n, 2n]

    expect(greetingOf(1)).toBe("petstore writer 6, schema 1")
    expect(Object.keys(writes).sort()).toStrictEqual([
      ...["addCategories", "addKeys", "beginIndex", "closeOrder", "correctPets", "endGroup", "insertOrder"],
      ...["insertOrderOnce", "insertPet", "insertPetOnce", "insertPets", "proveWritable", "removePet", "replaceEntries"],
      ...["replacePet", "writeBoth", "writeOne"],
    ])
    expect(writes.insertPet(pet)).toBe(1n)
    expect(writes.insertPetOnce(pet, claim)).toStrictEqual({ value: 2n, isNew: true })
    expect(writes.insertPetOnce(pet, claim)).toStrictEqual({ value: 2n, isNew: false })
    expect(writes.insertPetOnce(pet, { ...claim, fingerprint: "1".repeat(64) })).toBe("reused")
    expect(writes.replacePet(seen, { ...seen, name: "Bella" })).toBe("done")
    expect(writes.correctPets([[1n, { name: "Cleo" }]])).toStrictEqual(["done"])
    expect(writes.correctPets([[9n, { name: "Dora" }]])).toStrictEqual(["not-found"])
    expect(writes.removePet(seen)).toBe("changed")
    expect(writes.insertOrder(1n, new Date(1))).toStrictEqual(first)
    expect(writes.insertOrder(1n, new Date(1))).toStrictEqual({ pet: ["pending"] })
    expect(writes.insertOrder(9n, new Date(1))).toStrictEqual({ pet: undefined })
    expect(writes.insertOrderOnce(2n, orderClaim)).toStrictEqual({ value: second, isNew: true })
    expect(writes.insertOrderOnce(2n, orderClaim)).toStrictEqual({ value: second, isNew: false })
    expect(writes.closeOrder(1n, "complete", new Date(1))).toStrictEqual([1n, 1n, "completed", 1n, 1n])
  }),
)
