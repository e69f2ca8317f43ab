/** Pets in an array: the place of a pet is its identifier less one. */
import { type IdempotencyClaim, IdempotencyKeyReused, type NewPet, type Pet, PetId, PetRepository } from "@petstore/core"
import { Array as Arrays, Effect, Layer, Option, Stream } from "effect"

export const memoryPetRepository = Layer.sync(PetRepository, () => {
  const pets: Array<Pet> = []

  const claimed = new Map<string, { readonly claim: IdempotencyClaim; readonly pet: Pet }>()

  const keep = ({ name, categoryId, status }: NewPet): Pet => {
    const id = PetId.make(BigInt(pets.length + 1))
    const pet = status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
    pets.push(pet)
    return pet
  }

  return PetRepository.of({
    insert: (pet) => Effect.sync(() => keep(pet)),

    insertOnce: (newPet, claim) =>
      Effect.suspend(() => {
        const name = JSON.stringify([claim.accountId, claim.operation, claim.key])
        const first = claimed.get(name)
        if (first !== undefined && first.claim.expiresAt > claim.claimedAt) {
          return first.claim.fingerprint === claim.fingerprint
            ? Effect.succeed(first.pet)
            : new IdempotencyKeyReused({ key: claim.key })
        }
        const pet = keep(newPet)
        claimed.set(name, { claim, pet })
        return Effect.succeed(pet)
      }),

    insertAll: (batches) =>
      Effect.map(Stream.runCollect(batches), (collected) => {
        const all = Arrays.flatten(Arrays.fromIterable(collected))
        for (const pet of all) keep(pet)
        return all.length
      }),

    find: (id) =>
      Effect.sync(() => (id < 1n || id > BigInt(pets.length) ? Option.none() : Option.fromNullable(pets[Number(id) - 1]))),

    revision: () => Option.some({ insertions: pets.length, changes: 0 }),

    list: ({ status, after, limit }) =>
      Effect.sync(() => {
        const from = Option.match(after, {
          onNone: () => 0,
          onSome: (id) => Number(id < 0n ? 0n : id > BigInt(pets.length) ? BigInt(pets.length) : id),
        })
        const selected: Array<Pet> = []
        for (let index = from; index < pets.length && selected.length < limit; index += 1) {
          const pet = pets[index]
          if (pet !== undefined && (Option.isNone(status) || pet.status === status.value)) selected.push(pet)
        }
        return selected
      }),
  })
})
