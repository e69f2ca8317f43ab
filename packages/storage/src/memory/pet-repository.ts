import {
  type CorrectionOutcome,
  correctedPet,
  type Pet,
  type PetId,
  PetRepository,
  searchAmong,
  type ValidNewPet,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { isSamePet, petChange, petOf } from "../rows.js"
import { type Catalogue, placeOf, selectFrom } from "./engine/catalogue.js"
import { memoryIdempotency } from "./idempotency.js"

export const memoryPetRepository = (catalogue: Catalogue) => {
  const { pets, reserved } = catalogue
  const once = memoryIdempotency<Pet>()

  const keep = (newPet: ValidNewPet): Pet => {
    const pet = petOf(BigInt(pets.length + 1), newPet)
    pets.push(pet)
    return pet
  }

  const insert = (newPet: ValidNewPet) => Effect.sync(() => keep(newPet))

  /** Changes a pet to the result of `toOf`, or removes the pet if there is no result. */
  const set = (petId: PetId, toOf: (pet: Pet) => Pet | undefined): CorrectionOutcome => {
    const place = placeOf(petId, pets.length)
    const pet = pets[place]
    if (pet === undefined) return "not-found"
    const to = toOf(pet)
    if (reserved.has(petId) && to?.status !== pet.status) return "reserved"
    pets[place] = to
    catalogue.changes += 1
    return "done"
  }

  const change = (seen: Pet, to: Pet | undefined) =>
    Effect.suspend(() => {
      const pet = pets[placeOf(seen.id, pets.length)]
      return petChange(seen, pet === undefined || isSamePet(pet, seen) ? set(seen.id, () => to) : "changed")
    })

  return PetRepository.of({
    insert,

    insertOnce: (newPet, claim) => once(claim, insert(newPet)),

    insertAll: (batches) =>
      Effect.map(Stream.runCollect(batches), (collected) => {
        const all = [...collected].flat()
        for (const pet of all) keep(pet)
        return all.length
      }),

    replace: change,

    remove: (seen) => change(seen, undefined),

    correctAll: (corrections) =>
      Effect.sync(() => corrections.map(([petId, correction]) => set(petId, (pet) => correctedPet(pet, correction)))),

    find: (id) => Effect.sync(() => Option.fromNullable(pets[placeOf(id, pets.length)])),

    list: (selection) => Effect.sync(() => selectFrom(pets, selection)),

    search: (search) =>
      Effect.sync(() => {
        const present = pets.filter((pet) => pet !== undefined)
        return searchAmong(present, search)
      }),
  })
}
