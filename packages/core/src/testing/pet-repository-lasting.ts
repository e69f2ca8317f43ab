import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { StorageUnavailable } from "../errors.js"
import type { PetId } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { expect } from "./expect.js"
import { insertedOnce, newClaim } from "./pet-repository-insert-once.js"
import { everything, listed, newPet } from "./pets.js"
import { openedAnew } from "./promise.js"
import { describe, it } from "./runner.js"

/** How to open the same store several times, and how to open an unavailable store. */
export interface PetStores {
  /** A function that prepares an empty store and returns a layer. Each build of the layer opens the same store. */
  readonly lasting?: (() => Layer.Layer<PetRepository, unknown>) | undefined
  /**
   * A layer, not a function. The layer opens a store whose server or file is unavailable. Either opening the store or every call
   * must fail with `StorageUnavailable`.
   */
  readonly unavailable?: Layer.Layer<PetRepository, unknown> | undefined
}

export const promisesOfLasting = ({ lasting, unavailable }: PetStores): void => {
  if (lasting !== undefined && typeof lasting !== "function") {
    throw new TypeError("`lasting` must be a function that prepares an empty store and returns a layer: lasting: () => layer.")
  }
  if (lasting !== undefined) {
    describe("a store that is closed and opened again", () => {
      const promise = (name: string, ...steps: ReadonlyArray<Effect.Effect<unknown, unknown, PetRepository>>) =>
        it(name, async () => {
          const store = lasting()
          for (const step of steps) await openedAnew(step, store)
        })
      const bello = newPet("Bello", { categoryId: 2n ** 53n + 1n, status: "sold" })
      const pets = <A, E, R>(use: (repository: PetRepository["Type"]) => Effect.Effect<A, E, R>) =>
        Effect.flatMap(PetRepository, use)
      let kept: ReadonlyArray<unknown> = []
      const keeping = Effect.map(listed(), (found) => {
        kept = found
      })
      const same = Effect.map(listed(), (found) => expect(found).toStrictEqual(kept))

      promise(
        "has every stored pet, whichever function added it",
        pets((repository) =>
          Effect.all([
            repository.insert(bello),
            repository.insertOnce(newPet("Ada"), newClaim()),
            repository.insertAll(Stream.make([newPet("Coco"), newPet("Dora")])),
          ]),
        ),
        Effect.tap(keeping, () => expect(kept).toHaveLength(4)),
        same,
      )

      promise(
        "has the changed pets, but not the removed ones",
        pets((repository) => Effect.all([repository.insert(bello), repository.insert(newPet("Ada"))])),
        Effect.flatMap(listed(), (found) =>
          pets((repository) =>
            Effect.forEach(found, (pet) =>
              pet.name === "Ada" ? repository.remove(pet) : repository.replace(pet, { ...pet, name: "Rex" }),
            ),
          ),
        ),
        Effect.map(listed(), (found) => expect(found.map(({ name }) => name)).toStrictEqual(["Rex"])),
      )

      promise(
        "remembers an idempotency key",
        pets((repository) => repository.insertOnce(bello, newClaim())),
        keeping,
        Effect.map(
          pets((repository) => insertedOnce(repository, bello, newClaim())),
          (again) => expect([again]).toStrictEqual(kept),
        ),
        same,
      )

      const assigned: Array<PetId> = []
      const insertNew = Effect.tap(
        pets(({ insert }) => insert(bello)),
        ({ id }) => {
          expect(assigned.includes(id)).toBe(false)
          assigned.push(id)
        },
      )
      promise(
        "does not reuse identifiers, even those of removed pets",
        Effect.flatMap(insertNew, (pet) => pets(({ remove }) => remove(pet))),
        insertNew,
        insertNew,
      )
    })
  }
  if (unavailable !== undefined) {
    const pet = { id: 1n, ...newPet("Bello") }
    const search = { keys: { from: "b", below: "c" }, order: "asc", limit: 1 } as const
    type Repository = PetRepository["Type"]
    const calls: Readonly<Record<keyof Repository, (repository: Repository) => Effect.Effect<unknown, unknown>>> = {
      insert: ({ insert }) => insert(newPet("Bello")),
      insertOnce: ({ insertOnce }) => insertOnce(newPet("Bello"), newClaim()),
      insertAll: ({ insertAll }) => insertAll(Stream.make([newPet("Bello")])),
      replace: ({ replace }) => replace(pet, { ...pet, name: "Rex" }),
      remove: ({ remove }) => remove(pet),
      correctAll: ({ correctAll }) => correctAll([[1n, { name: "Rex" }]]),
      find: ({ find }) => find(1n),
      list: ({ list }) => list(everything),
      search: (repository) => repository.search(search),
    }
    describe("an unavailable store", () => {
      for (const [name, call] of Object.entries(calls)) {
        it(`makes ${name} fail with StorageUnavailable`, async () => {
          const outcome = await Effect.runPromise(
            Effect.match(Effect.provide(Effect.flatMap(PetRepository, call), unavailable), {
              onFailure: (failure) => (failure instanceof StorageUnavailable ? "StorageUnavailable" : failure),
              onSuccess: () => "a success",
            }),
          )
          expect(outcome).toBe("StorageUnavailable")
        })
      }
    })
  }
}
