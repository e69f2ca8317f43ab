/** The promises of `PetRepository.revision`: results stay current while the revision stays the same. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Pet } from "../pets/pet.js"
import type { PetRevision } from "../pets/pet-revision.js"
import { expect } from "./expect.js"
import { newClaim } from "./pet-repository-insert-once.js"
import { insertEach, listed, newPet, numbered, type PromiseOfPets } from "./pets.js"
import { describe } from "./runner.js"

const nameOf = ({ insertions, changes }: PetRevision): string => `${insertions} ${changes}`

export const promisesOfRevision = (promise: PromiseOfPets): void => {
  describe("revision", () => {
    promise("grows with every stored pet, if the adapter has a revision", function* (pets) {
      const ways = [
        pets.insert(newPet("Bello")),
        pets.insertOnce(newPet("Bello"), newClaim()),
        pets.insertAll(Stream.make(numbered(3), numbered(3))),
        pets.insertAll(Stream.make(numbered(1))),
      ]
      for (const way of ways) {
        const before = pets.revision()
        yield* way
        const after = pets.revision()
        expect(Option.isSome(after)).toBe(Option.isSome(before))
        if (Option.isNone(before) || Option.isNone(after)) continue
        expect(after.value.insertions).toBeGreaterThan(before.value.insertions)
        expect(after.value.changes).toBeGreaterThanOrEqual(before.value.changes)
      }
    })

    promise("counts every change and removal of a pet, if the adapter has a revision", function* (pets) {
      const [pet] = yield* insertEach([newPet("Bello")])
      const changed: Pet = { ...pet, name: "Rex", status: "sold" }
      const last: Pet = { ...changed, name: "Mia" }
      for (const way of [pets.replace(pet, changed), pets.correctAll([[pet.id, { name: "Mia" }]]), pets.remove(last)]) {
        const before = pets.revision()
        yield* way
        const after = pets.revision()
        expect(Option.isSome(after)).toBe(Option.isSome(before))
        if (Option.isSome(before) && Option.isSome(after)) expect(after.value.changes).toBeGreaterThan(before.value.changes)
      }
    })

    promise("is the same only while the list stays the same", function* (pets) {
      const seen = new Map<string, ReadonlyArray<Pet>>()
      const look = Effect.gen(function* () {
        const revision = pets.revision()
        const list = yield* listed()
        if (Option.isNone(revision)) return
        const name = nameOf(revision.value)
        expect(list).toStrictEqual(seen.get(name) ?? list)
        // If the list is newer than its revision, it must not be cached under that revision.
        if (name === Option.getOrUndefined(Option.map(pets.revision(), nameOf))) seen.set(name, list)
      })
      const writers = Effect.forEach(numbered(20), (pet) => Effect.zipRight(Effect.yieldNow(), pets.insert(pet)), {
        concurrency: 3,
      })
      const readers = Effect.repeatN(Effect.zipRight(look, Effect.yieldNow()), 50)
      yield* Effect.all([writers, readers, readers], { concurrency: "unbounded" })
      yield* look
    })
  })
}
