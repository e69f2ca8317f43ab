import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Pet } from "../pets/pet.js"
import { PetFreshness, type PetRevision } from "../pets/pet-freshness.js"
import { PetRepository } from "../pets/pet-repository.js"
import { newClaim } from "./insert-once-promises.js"
import { insertEach, listed, newPet, numbered } from "./pets.js"
import { type ContractSuite, contractSuite } from "./promise.js"
import { expect } from "./runner.js"

const nameOf = ({ insertions, changes }: PetRevision): string => `${insertions} ${changes}`

/** Declares the contract suite for `PetFreshness`. `orderRepositoryContract` tests that orders change the revision too. */
export const petFreshnessContract: ContractSuite<PetRepository | PetFreshness> = contractSuite(PetFreshness, (promise) => {
  promise("increases the revision with every stored pet", function* ({ revision }) {
    const pets = yield* PetRepository
    const ways = [
      pets.insert(newPet("Bello")),
      pets.insertOnce(newPet("Bello"), newClaim()),
      pets.insertAll(Stream.make(numbered(3), numbered(3))),
      pets.insertAll(Stream.make(numbered(1))),
    ]
    for (const way of ways) {
      const before = Option.getOrThrow(revision())
      yield* way
      const after = Option.getOrThrow(revision())
      expect(after.insertions).toBeGreaterThan(before.insertions)
      expect(after.changes).toBeGreaterThanOrEqual(before.changes)
    }
  })

  promise("counts every change and removal of a pet", function* ({ revision }) {
    const pets = yield* PetRepository
    const [pet] = yield* insertEach([newPet("Bello")])
    const changed: Pet = { ...pet, name: "Rex", status: "sold" }
    const last: Pet = { ...changed, name: "Mia" }
    for (const way of [pets.replace(pet, changed), pets.correctAll([[pet.id, { name: "Mia" }]]), pets.remove(last)]) {
      const before = Option.getOrThrow(revision())
      yield* way
      expect(Option.getOrThrow(revision()).changes).toBeGreaterThan(before.changes)
    }
  })

  promise("keeps the revision only while the list stays the same", function* ({ revision }) {
    const pets = yield* PetRepository
    const seen = new Map<string, ReadonlyArray<Pet>>()
    const look = Effect.gen(function* () {
      const before = revision()
      const list = yield* listed()
      if (Option.isNone(before)) return
      const name = nameOf(before.value)
      expect(list).toStrictEqual(seen.get(name) ?? list)
      // If the list is newer than its revision, it must not be cached under that revision.
      if (name === Option.getOrUndefined(Option.map(revision(), nameOf))) seen.set(name, list)
    })
    const writers = Effect.forEach(numbered(20), (pet) => Effect.zipRight(Effect.yieldNow(), pets.insert(pet)), {
      concurrency: 3,
    })
    const readers = Effect.repeatN(Effect.zipRight(look, Effect.yieldNow()), 50)
    yield* Effect.all([writers, readers, readers], { concurrency: "unbounded" })
    yield* look
  })

  promise("runs the given work exactly once before returning, and throws only what the work throws", function* ({ together }) {
    let runs = 0
    together(() => {
      runs += 1
    })
    expect(runs).toBe(1)
    const error = new Error("told to")
    const broken = () =>
      together(() => {
        throw error
      })
    expect(Either.try({ try: broken, catch: (thrown) => thrown })).toStrictEqual(Either.left(error))
    yield* insertEach([newPet("Bello")])
    expect(yield* listed()).toHaveLength(1)
  })
})
