/// <reference lib="esnext.disposable" preserve="true" />
/** The use cases of the catalogue as promises. */
import { Cause, Clock, Effect, type Either, Exit, type Layer, ManagedRuntime, Option } from "effect"
import { decodeIdempotencyKey } from "../contract/idempotency-key.js"
import { AccountId } from "../credentials/credential.js"
import { type IdempotencyClaim, idempotencyLifetimeMillis } from "../idempotency.js"
import type { InvalidParameter } from "../json/invalid-input.js"
import { pageLimits } from "../page.js"
import type { NewPet as ValidNewPet } from "../pets/pet.js"
import type { PetRepository } from "../pets/pet-repository.js"
import type { PetStatus } from "../pets/pet-status.js"
import { createPet, createPetOnce, decodePetPageRequest, getPet, listPets } from "../pets/pets.js"
import { type NewPet, type Pet, validateNewPet } from "./pet.js"
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
   * Adds a pet. It is checked again, so one made by hand is safe. When it succeeds the pet is kept for
   * good; after `storage_unavailable` it may have been kept, once.
   *
   * @see specification, section 4.2
   */
  readonly createPet: (pet: NewPet) => Promise<Result<Pet, "invalid_body" | "storage_unavailable">>

  /**
   * Adds a pet once, however often it is called with this key within 24 hours: a repeated call gets the pet of the first, as
   * it was created. Fails with `idempotency_key_reused` if the first one was for another pet, and with `invalid_parameter`
   * for a key that is not 1 to 255 visible ASCII characters without quotes.
   *
   * @see specification, section 12
   */
  readonly createPetOnce: (
    pet: NewPet,
    idempotencyKey: string,
  ) => Promise<Result<Pet, "invalid_body" | "invalid_parameter" | "idempotency_key_reused" | "storage_unavailable">>

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

  /**
   * Every pet, or those of one status, as {@link listPets} gives them page by page. It throws an `Error` whose `cause` is the
   * failure if the store does not answer.
   */
  readonly listAllPets: (query?: Pick<PetQuery, "status">) => AsyncGenerator<Pet, void, undefined>

  /** Closes the store. Repeating it is harmless. Every other call rejects from then on. */
  readonly close: () => Promise<void>

  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens a store and gives its operations as promises. Rejects with the store's own error, whose `message` says why, if it
 * cannot be opened.
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
  let isClosed = false

  /** The door between the two worlds: failures leave as values, defects as rejections. */
  const run = async <A, E>(useCase: Effect.Effect<A, E, PetRepository>): Promise<Either.Either<A, E>> => {
    if (isClosed) throw new Error("The inventory is closed.")
    const exit = await runtime.runPromiseExit(Effect.either(useCase))
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
    return exit.value
  }

  const answer = async <A, E extends PlainFailure>(useCase: Effect.Effect<A, E, PetRepository>) => resultOf(await run(useCase))

  const listPetsOf: Inventory["listPets"] = (query = {}) => answer(pageOf(query))
  const close = (): Promise<void> => {
    isClosed = true
    return runtime.dispose()
  }

  await run(Effect.void)
  return {
    createPet: (pet) => answer(Effect.flatMap(validateNewPet(pet), createPet)),
    createPetOnce: (pet, idempotencyKey) =>
      answer(
        Effect.flatMap(validateNewPet(pet), (valid) =>
          Effect.flatMap(claimOf(valid, idempotencyKey), (claim) => createPetOnce(valid, claim)),
        ),
      ),
    getPet: (petId) => answer(getPet(String(petId))),
    listPets: listPetsOf,
    listAllPets: (query) => everyPet(listPetsOf, query),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Claims of callers in this process, who have no accounts: they share the names of their requests. */
const callers = AccountId.make("in-process")

const claimOf = (pet: ValidNewPet, key: string): Effect.Effect<IdempotencyClaim, InvalidParameter> =>
  Effect.gen(function* () {
    yield* decodeIdempotencyKey(key)
    const fingerprint = yield* Effect.promise(() => sha256(encodeNewPet(pet)))
    const millis = yield* Clock.currentTimeMillis
    const [claimedAt, expiresAt] = [new Date(millis), new Date(millis + idempotencyLifetimeMillis)]
    return { accountId: callers, operation: "createPet", key, fingerprint, claimedAt, expiresAt }
  })

/** The same pet always gives the same text. */
const encodeNewPet = ({ name, categoryId, status }: ValidNewPet): string =>
  JSON.stringify([name, String(categoryId), status ?? null])

/** What every platform gives of the Web Crypto API. */
declare const crypto: { readonly subtle: { readonly digest: (name: "SHA-256", bytes: Uint8Array) => Promise<ArrayBuffer> } }
declare const TextEncoder: new () => { readonly encode: (text: string) => Uint8Array }

const sha256 = async (text: string): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")

async function* everyPet(
  list: Inventory["listPets"],
  query: Pick<PetQuery, "status"> = {},
): AsyncGenerator<Pet, void, undefined> {
  let next: PetQuery | undefined = { ...query, limit: pageLimits.maximum }
  while (next !== undefined) {
    const page: Awaited<ReturnType<Inventory["listPets"]>> = await list(next)
    if (!page.ok) throw new Error(page.error.message, { cause: page })
    yield* page.value.items
    next = page.value.next
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
