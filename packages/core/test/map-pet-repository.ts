import type { IdempotencyClaim, NewPet } from "../src/index.js"
import { type Pet, type PromisePetRepository, searchAmong } from "../src/promise/index.js"

export const mapPetRepository = (): PromisePetRepository => {
  const pets = new Map<bigint, Pet>()
  const claims = new Map<string, { readonly claim: IdempotencyClaim; readonly pet: Pet }>()

  let kept = 0

  const keep = ({ name, categoryId, status }: NewPet): Pet => {
    kept += 1
    const id = BigInt(kept)
    const pet = status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
    pets.set(id, pet)
    return pet
  }

  /** This adapter has no orders, so no pet is ever reserved. */
  const change = ({ id, name, categoryId, status }: Pet, make: () => void): "done" | "not-found" | "changed" => {
    const pet = pets.get(id)
    if (pet === undefined) return "not-found"
    if (pet.name !== name || pet.categoryId !== categoryId || pet.status !== status) return "changed"
    make()
    return "done"
  }

  return {
    insert: async (pet) => keep(pet),
    insertOnce: async (pet, claim) => {
      const name = JSON.stringify([claim.accountId, claim.operation, claim.key])
      const first = claims.get(name)
      if (first !== undefined && first.claim.expiresAt > claim.claimedAt) {
        return first.claim.fingerprint === claim.fingerprint ? { value: first.pet, isNew: false } : "reused"
      }
      const made = keep(pet)
      claims.set(name, { claim, pet: made })
      return { value: made, isNew: true }
    },
    insertAll: async (batches) => {
      const all: Array<NewPet> = []
      for await (const batch of batches) all.push(...batch)
      all.forEach(keep)
      return all.length
    },
    replace: async (seen, to) => change(seen, () => pets.set(seen.id, to)),
    remove: async (seen) => change(seen, () => pets.delete(seen.id)),
    find: async (id) => pets.get(id),
    list: async ({ status, after, limit }) =>
      [...pets.values()]
        .filter((pet) => (status === undefined || pet.status === status) && (after === undefined || pet.id > after))
        .slice(0, limit),
    search: async (search) => searchAmong(pets.values(), search),
  }
}
