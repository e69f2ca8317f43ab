import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { StorageUnavailable } from "../errors.js"
import { PetRepository } from "../pets/pet-repository.js"
import { insertedOnce, newClaim } from "./insert-once-promises.js"
import { everything, listed, newPet } from "./pets.js"
import { openedAnew } from "./promise.js"
import { describe, expect, it } from "./runner.js"

type Pets = PetRepository["Type"]

/** How to open the same store several times, and how to open an unavailable store. */
export interface PetStores {
  /** A function that prepares an empty store and returns a layer. Each build of the layer opens the same store. */
  readonly lasting?: (() => Layer.Layer<PetRepository, unknown>) | undefined
  /** A layer for an unavailable server or file. Either opening the store or every call must fail with `StorageUnavailable`. */
  readonly unavailable?: Layer.Layer<PetRepository, unknown> | undefined
}

export const promisesOfLasting = ({ lasting, unavailable }: PetStores): void => {
  if (lasting !== undefined && typeof lasting !== "function") {
    throw new TypeError("`lasting` must be a function that prepares an empty store and returns a layer: lasting: () => layer.")
  }
  if (lasting !== undefined) {
    describe("a store that is closed and opened again", () => {
      const bello = newPet("Bello", { categoryId: 2n ** 53n + 1n, status: "sold" })

      /** Each call of `use` opens the store anew, and closes it afterwards. */
      const promise = (
        name: string,
        test: (use: <A>(steps: (pets: Pets) => Effect.Effect<A, unknown, PetRepository>) => Promise<A>) => Promise<void>,
      ) =>
        it(name, () => {
          const store = lasting()
          return test((steps) => openedAnew(Effect.flatMap(PetRepository, steps), store))
        })

      promise("has every stored pet, whichever function added it", async (use) => {
        await use((pets) => pets.insert(bello))
        await use((pets) => pets.insertOnce(newPet("Ada"), newClaim()))
        await use((pets) => pets.insertAll(Stream.make([newPet("Coco"), newPet("Dora")])))
        const kept = await use(() => listed())
        expect(kept).toHaveLength(4)
        expect(await use(() => listed())).toStrictEqual(kept)
      })

      promise("has the changed pets, but not the removed ones", async (use) => {
        const [pet, other] = await use((pets) => Effect.all([pets.insert(bello), pets.insert(newPet("Ada"))]))
        const changed = { ...pet, name: "Rex" }
        await use((pets) => Effect.all([pets.replace(pet, changed), pets.remove(other)]))
        expect(await use(() => listed())).toStrictEqual([changed])
      })

      promise("remembers an idempotency key", async (use) => {
        const first = await use((pets) => insertedOnce(pets, bello, newClaim()))
        expect(await use((pets) => insertedOnce(pets, bello, newClaim()))).toStrictEqual(first)
        expect(await use(() => listed())).toStrictEqual([first])
      })

      promise("does not reuse identifiers, even those of removed pets", async (use) => {
        const removed = await use((pets) => Effect.tap(pets.insert(bello), pets.remove))
        const [one, other] = [await use((pets) => pets.insert(bello)), await use((pets) => pets.insert(bello))]
        expect(new Set([removed.id, one.id, other.id]).size).toBe(3)
      })
    })
  }
  if (unavailable !== undefined) {
    const pet = { id: 1n, ...newPet("Bello") }
    const search = { keys: { from: "b", below: "c" }, order: "asc", limit: 1 } as const
    const calls: Readonly<Record<keyof Pets, (pets: Pets) => Effect.Effect<unknown, unknown>>> = {
      insert: ({ insert }) => insert(newPet("Bello")),
      insertOnce: ({ insertOnce }) => insertOnce(newPet("Bello"), newClaim()),
      insertAll: ({ insertAll }) => insertAll(Stream.make([newPet("Bello")])),
      replace: ({ replace }) => replace(pet, { ...pet, name: "Rex" }),
      remove: ({ remove }) => remove(pet),
      correctAll: ({ correctAll }) => correctAll([[1n, { name: "Rex" }]]),
      find: ({ find }) => find(1n),
      list: ({ list }) => list(everything),
      search: (pets) => pets.search(search),
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
