/** Pets in an array. */
import { type NewPet, type Pet, PetId, PetRepository } from "@petstore/core"
import { Array as Arrays, Effect, Option, Stream } from "effect"
import { type Catalogue, placeAfter, rememberClaims, selectFrom } from "./engine/catalogue.js"

export const memoryPetRepository = (catalogue: Catalogue) => {
  const { pets } = catalogue
  const once = rememberClaims<Pet>()

  const keep = ({ name, categoryId, status }: NewPet): Pet => {
    const id = PetId.make(BigInt(pets.length + 1))
    const pet = status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
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

    find: (id) =>
      Effect.sync(() => (id < 1n || id > BigInt(pets.length) ? Option.none() : Option.fromNullable(pets[Number(id) - 1]))),

    list: ({ status, after, limit }) =>
      Effect.sync(() => {
        const from = Option.match(after, { onNone: () => 0, onSome: (id) => placeAfter(id, pets.length) })
        return selectFrom(pets, from, limit, (pet) => Option.isNone(status) || pet.status === status.value)
      }),

    revision: () => Option.some({ insertions: pets.length, changes: catalogue.changes }),
  })
}
