/** The use cases of the catalogue as promises. */
import { Cause, Effect, type Either, Exit, type Layer, ManagedRuntime, Option } from "effect"
import type { PetRepository } from "../pets/pet-repository.js"
import type { PetStatus } from "../pets/pet-status.js"
import { createPet, decodePetPageRequest, getPet, listPets } from "../pets/pets.js"
import { judgeNewPet, type NewPet, type Pet } from "./pet.js"
import { type PlainFailure, type Result, resultOf } from "./result.js"

/** Which page of pets to list. */
export interface PetQuery {
  /** Only pets of this status; all pets if absent. */
  readonly status?: PetStatus | undefined
  /** At most this many pets, 1 to 100; 20 if absent. */
  readonly limit?: number | undefined
  /** Where the page starts: taken from `next`, with the same `status`. */
  readonly cursor?: string | undefined
}

/** One page of pets, by ascending identifier. */
export interface Page {
  readonly items: ReadonlyArray<Pet>
  /** The query of the next page, for `listPets` as it is; absent on the last page. */
  readonly next?: PetQuery & { readonly cursor: string }
}

/**
 * The operations of an open store. Their promises resolve to a {@link Result}: an expected failure
 * is in it, typed. They reject only for a bug, in the store or here, and after `close`.
 */
export interface Inventory {
  /**
   * Adds a pet. It is judged again, so one made by hand is safe. When it succeeds the pet is kept for
   * good; after `storage_unavailable` it may have been kept, once.
   *
   * @see specification, section 4.2
   */
  readonly createPet: (pet: NewPet) => Promise<Result<Pet, "invalid_body" | "storage_unavailable">>

  /**
   * Gets one pet. A text that is no 64-bit integer in plain decimal names no pet.
   *
   * @see specification, section 4.3
   */
  readonly getPet: (petId: bigint | string) => Promise<Result<Pet, "pet_not_found" | "storage_unavailable">>

  /**
   * Lists one page. Following `next` sees every matching pet that existed when paging began exactly
   * once, whatever is added meanwhile.
   *
   * @see specification, section 4.1
   */
  readonly listPets: (query?: PetQuery) => Promise<Result<Page, "invalid_parameter" | "storage_unavailable">>

  /** Closes the store. Repeating it is harmless. */
  readonly close: () => Promise<void>
}

/**
 * Opens a store and gives its operations as promises. Rejects with the store's own error if it cannot be opened.
 *
 * @param pets  where pets are kept: `storage(…)` of `@petstore/storage`, or {@link promisePetRepository} of your own
 * @example
 * const inventory = await openInventory(storage({ adapter: "memory" }, { migrate: true }))
 * const created = await inventory.createPet({ name: "Bello", categoryId: 7n })
 * created // { ok: true, value: { id: 1n, name: "Bello", categoryId: 7n } }
 * await inventory.close()
 */
export const openInventory = async (pets: Layer.Layer<PetRepository, unknown>): Promise<Inventory> => {
  const runtime = ManagedRuntime.make(pets)

  /** The door between the two worlds: failures leave as values, defects as rejections. */
  const run = async <A, E>(useCase: Effect.Effect<A, E, PetRepository>): Promise<Either.Either<A, E>> => {
    const exit = await runtime.runPromiseExit(Effect.either(useCase))
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    return exit.value
  }

  const answer = async <A, E extends PlainFailure>(useCase: Effect.Effect<A, E, PetRepository>) => resultOf(await run(useCase))

  await run(Effect.void)
  return {
    createPet: (pet) => answer(Effect.flatMap(judgeNewPet(pet), createPet)),
    getPet: (petId) => answer(getPet(String(petId))),
    listPets: (query = {}) => answer(pageOf(query)),
    close: () => runtime.dispose(),
  }
}

const pageOf = (query: PetQuery) =>
  decodePetPageRequest((name) => valuesOf(query, name)).pipe(
    Effect.flatMap(listPets),
    Effect.map(({ items, next }): Page => (Option.isNone(next) ? { items } : { items, next: { ...query, cursor: next.value } })),
  )

const valuesOf = ({ status, limit, cursor }: PetQuery, name: string): ReadonlyArray<string> => {
  const value = new Map<string, unknown>(Object.entries({ status, limit, cursor })).get(name)
  return value === undefined ? [] : [String(value)]
}
