/** Pets in an array. */
import { type NewPet, type Pet, PetRepository } from "@petstore/core"
import { Array as Arrays, Effect, Option, Stream } from "effect"
import { petOf } from "../rows.js"
import { type Catalogue, placeOf, selectFrom } from "./engine/catalogue.js"
import { memoryIdempotency } from "./idempotency.js"

export const memoryPetRepository = (catalogue: Catalogue) => {
  const { pets } = catalogue
  const once = memoryIdempotency<Pet>()

  const keep = (newPet: NewPet): Pet => {
    const pet = petOf(BigInt(pets.length + 1), newPet)
    pets.push(pet)
    return pet
  }

  return PetRepository.of({
    insert: (pet) => Effect.sync(() => keep(pet)),

    insertOnce: (newPet, claim) =>
      once(
        claim,
        Effect.sync(() => keep(newPet)),
      ),

    insertAll: (batches) =>
      Effect.map(Stream.runCollect(batches), (collected) => {
        const all = Arrays.flatten(Arrays.fromIterable(collected))
        for (const pet of all) keep(pet)
        return all.length
      }),

    find: (id) => Effect.sync(() => Option.fromNullable(pets[placeOf(id, pets.length)])),

    list: (selection) => Effect.sync(() => selectFrom(pets, selection)),

    revision: () => Option.some({ insertions: pets.length, changes: catalogue.changes }),
  })
}
