/** An adapter of plain functions, with pets in a map. */
import type { IdempotencyClaim, NewPet } from "../src/index.js"
import type { Pet, PromisePetRepository } from "../src/promise/index.js"

export const mapPetRepository = (): PromisePetRepository & Required<Pick<PromisePetRepository, "revision">> => {
  const pets = new Map<bigint, Pet>()
  const claims = new Map<string, { readonly claim: IdempotencyClaim; readonly pet: Pet }>()

  const keep = ({ name, categoryId, status }: NewPet): Pet => {
    const id = BigInt(pets.size + 1)
    const pet = status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
    pets.set(id, pet)
    return pet
  }

  return {
    insert: async (pet) => keep(pet),
    insertOnce: async (pet, claim) => {
      const name = JSON.stringify([claim.accountId, claim.operation, claim.key])
      const first = claims.get(name)
      if (first !== undefined && first.claim.expiresAt > claim.claimedAt) {
        return first.claim.fingerprint === claim.fingerprint ? first.pet : "reused"
      }
      const kept = keep(pet)
      claims.set(name, { claim, pet: kept })
      return kept
    },
    insertAll: async (batches) => {
      const all: Array<NewPet> = []
      for await (const batch of batches) all.push(...batch)
      all.forEach(keep)
      return all.length
    },
    find: async (id) => pets.get(id),
    list: async ({ status, after, limit }) =>
      [...pets.values()]
        .filter((pet) => (status === undefined || pet.status === status) && (after === undefined || pet.id > after))
        .slice(0, limit),
    revision: () => ({ insertions: pets.size, changes: 0 }),
  }
}
