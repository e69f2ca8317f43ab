/** Port: counts the pets. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { Inventory } from "./inventory.js"

/**
 * Counts the pets. The counts are kept with the pets, in the same transactions. Its promises are a contract suite in
 * `@petstore/core/testing`.
 *
 * @experimental
 */
export class InventoryRepository extends Context.Tag("@petstore/core/InventoryRepository")<
  InventoryRepository,
  {
    /** The kept counts: exact, at a cost that does not depend on the number of pets. */
    readonly read: Effect.Effect<Inventory, StorageUnavailable>

    /**
     * Counts every pet, and keeps the result. Returns the former and the new counts: they differ only after writes of a program
     * that does not count, such as an older release. Writers wait meanwhile.
     */
    readonly recount: Effect.Effect<{ readonly kept: Inventory; readonly counted: Inventory }, StorageUnavailable>
  }
>() {}
