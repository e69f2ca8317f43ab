/** The model of the store as an adapter of plain promises. It has no orders, so no pet is ever reserved. */
import { Model } from "@petstore/model/model"
import { changing, isSameValues } from "@petstore/model/rules"
import type { NewPet } from "../src/index.js"
import { type Pet, type PromisePetRepository, searchAmong } from "../src/promise/index.js"

export const modelPetRepository = (): PromisePetRepository => {
  const model = new Model()

  const keep = ({ name, categoryId, status }: NewPet): Pet => {
    const id = BigInt(model.cells.size + 1)
    const values = status === undefined ? { name, categoryId } : { name, categoryId, status }
    model.create(id, values)
    return { id, ...values }
  }

  // Safe: only this adapter writes, and it writes pets.
  const pets = () => model.pets as ReadonlyArray<Pet>

  const change = (seen: Pet, to: Pet | "remove"): "done" | "not-found" | "changed" => {
    const change = to === "remove" ? to : { status: undefined, ...to }
    const code = model.do(
      seen.id,
      changing(change, (values) => isSameValues(values, seen)),
    )
    return code === undefined ? "done" : code === "pet_not_found" ? "not-found" : "changed"
  }

  return {
    insert: async (pet) => keep(pet),
    insertOnce: async (pet, { accountId, operation, key, fingerprint, claimedAt, expiresAt }) => {
      const name = JSON.stringify([accountId, operation, key])
      const claim = { name, fingerprint, atMillis: claimedAt.getTime(), expiresAtMillis: expiresAt.getTime() }
      const kept = model.claimed<Pet>(claim)
      if (kept === "idempotency_key_reused") return "reused"
      if (kept !== undefined) return { value: kept, isNew: false }
      const made = keep(pet)
      model.claim(claim, made)
      return { value: made, isNew: true }
    },
    insertAll: async (batches) => {
      const all: Array<NewPet> = []
      for await (const batch of batches) all.push(...batch)
      all.forEach(keep)
      return all.length
    },
    replace: async (seen, to) => change(seen, to),
    remove: async (seen) => change(seen, "remove"),
    find: async (id) => pets().find((pet) => pet.id === id),
    list: async ({ status, after, limit }) =>
      pets()
        .filter((pet) => (status === undefined || pet.status === status) && (after === undefined || pet.id > after))
        .slice(0, limit),
    search: async (search) => searchAmong(pets(), search),
  }
}
