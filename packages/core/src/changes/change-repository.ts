import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { CursorExpired, PetNotFound, StorageUnavailable } from "../errors.js"
import type { Pet, PetId } from "../pets/pet.js"
import type { PetOrder } from "../pets/pet-search.js"
import type { Actor } from "./actor.js"
import type { ChangePlace, ChangesFound } from "./change.js"

/** Which changes to list: at most `limit`, optionally of one pet and its orders, and behind a place. @experimental */
export interface ChangeSelection {
  readonly petId?: PetId | undefined
  readonly order: PetOrder
  readonly after: Option.Option<ChangePlace>
  readonly limit: number
}

/**
 * Reads the changes that the writing functions of the other ports leave, each in the transaction of the change itself. A write
 * that fails or changes nothing leaves no change. Changes of one pet are in the order in which they happened. An adapter that
 * numbers changes must not hand out a number before the numbers below it are committed: a reader would miss them.
 * `@petstore/core/testing` has its contract suite.
 *
 * @experimental
 */
export class ChangeRepository extends Context.Tag("@petstore/core/ChangeRepository")<
  ChangeRepository,
  {
    /**
     * Lists the selected changes, at a cost by `limit`. Without a place, from the oldest or newest kept change. Fails with
     * `CursorExpired` if a change between the place and the oldest kept one was removed, or if the place is not one of this store.
     */
    readonly list: (selection: ChangeSelection) => Effect.Effect<ChangesFound, CursorExpired | StorageUnavailable>

    /**
     * A text that is different after every change that was committed since it was last read, by any process. Costs less than
     * reading changes. One process that has requests waiting for changes reads it, once for all of them.
     */
    readonly latest: Effect.Effect<string, StorageUnavailable>

    /**
     * Brings back a removed pet under its own identifier, as it was before its removal. A pet that exists stays as it is, and
     * leaves no change. Fails with `PetNotFound` if the change of its removal is not kept.
     */
    readonly restorePet: (petId: PetId, by?: Actor) => Effect.Effect<Pet, PetNotFound | StorageUnavailable>

    /** Removes the oldest changes, at most `limit` of those before a time. Returns the number of removed changes. */
    readonly removeBefore: (time: Date, limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>() {}
