import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { maxInt64, minInt64 } from "../json/int64.js"
import type { Pet, PetId, PetStatus, ValidNewPet } from "../pets/pet.js"
import { PetRepository, type PetSelection } from "../pets/pet-repository.js"
import type { DeclarePromise } from "./promise.js"

export type PromiseOfPets = DeclarePromise<PetRepository, PetRepository["Type"]>

interface NewPetOptions {
  readonly categoryId?: bigint | undefined
  readonly status?: PetStatus | undefined
}

/** A pet with a status only if one is given. */
export const newPet = (name: string, { categoryId = 1n, status }: NewPetOptions = {}): ValidNewPet => ({
  name,
  categoryId,
  ...(status !== undefined && { status }),
})

/** Identifiers that a store without pets or orders has not assigned. */
export const unassigned: ReadonlyArray<bigint> = [0n, -1n, 1n, 2n ** 53n + 1n, maxInt64, minInt64]

export const numbered = (count: number): ReadonlyArray<ValidNewPet> =>
  Array.from({ length: count }, (_, index) => newPet(`Pet ${index}`, { categoryId: BigInt(index) }))

export const byId = (one: { readonly id: bigint }, other: { readonly id: bigint }): number =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : 0

/** Inserts pets one after the other. Returns them in the same order. */
export const insertEach = <const Given extends ReadonlyArray<ValidNewPet>>(given: Given) =>
  Effect.flatMap(PetRepository, (pets) =>
    Effect.map(
      Effect.forEach(given, (pet) => Effect.map(pets.insert(pet), ({ id }): Pet => ({ id, ...pet }))),
      // Safe: there is one inserted pet for each given pet.
      (inserted) => inserted as { readonly [Index in keyof Given]: Pet },
    ),
  )

/** Finds the pet with this identifier. An unknown identifier gives `undefined`, so that a failed test prints no Effect types. */
export const found = (id: PetId) => Effect.flatMap(PetRepository, (pets) => pets.find(id)).pipe(Effect.map(Option.getOrUndefined))

export const everything: PetSelection = { status: Option.none(), after: Option.none(), limit: 10_000 }

/** One page, as the repository lists it. */
export const page = (selection: Partial<PetSelection> = {}) =>
  Effect.flatMap(PetRepository, (pets) => pets.list({ ...everything, ...selection }))

/** The pets by identifier, so that a wrong order fails only where order is promised. */
export const listed = (selection: Partial<PetSelection> = {}) => Effect.map(page(selection), (pets) => pets.toSorted(byId))
