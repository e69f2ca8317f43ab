import {
  type Actor,
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
  const { pets, reserved, history } = catalogue
  const once = memoryIdempotency<Pet>()

  const keep = (newPet: ValidNewPet, by: Actor | undefined): Pet => {
    const pet = petOf(BigInt(pets.length + 1), newPet)
    pets.push(pet)
    history.add("createPet", by, undefined, { pet })
    return pet
  }

  const insert = (newPet: ValidNewPet, by?: Actor) => Effect.sync(() => keep(newPet, by))

  /** Changes a pet to the result of `toOf`, or removes the pet if there is no result. */
  const set = (petId: PetId, toOf: (pet: Pet) => Pet | undefined, by: Actor | undefined): CorrectionOutcome => {
    const place = placeOf(petId, pets.length)
    const pet = pets[place]
    if (pet === undefined) return "not-found"
    const to = toOf(pet)
    if (reserved.has(petId) && to?.status !== pet.status) return "reserved"
    if (to !== undefined && isSamePet(pet, to)) return "done"
    pets[place] = to
    catalogue.changes += 1
    history.add(to === undefined ? "removePet" : "correctPet", by, { pet }, to && { pet: to })
    return "done"
  }

  const change = (seen: Pet, to: Pet | undefined, by: Actor | undefined) =>
    Effect.suspend(() => {
      const pet = pets[placeOf(seen.id, pets.length)]
      return petChange(seen, pet === undefined || isSamePet(pet, seen) ? set(seen.id, () => to, by) : "changed")
    })

  return PetRepository.of({
    insert,

    insertOnce: (newPet, claim, by) => once(claim, insert(newPet, by)),

    insertAll: (batches, by) =>
      Effect.map(Stream.runCollect(batches), (collected) => {
        const all = [...collected].flat()
        for (const pet of all) keep(pet, by)
        return all.length
      }),

    replace: change,

    remove: (seen, by) => change(seen, undefined, by),

    correctAll: (corrections, by) =>
      Effect.sync(() => corrections.map(([petId, correction]) => set(petId, (pet) => correctedPet(pet, correction), by))),

    find: (id) => Effect.sync(() => Option.fromNullable(pets[placeOf(id, pets.length)])),

    list: (selection) => Effect.sync(() => selectFrom(pets, selection)),

    search: (search) =>
      Effect.sync(() => {
        const present = pets.filter((pet) => pet !== undefined)
        return searchAmong(present, search)
      }),
  })
}
