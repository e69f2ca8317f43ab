/** Port: how many pets there are. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { Inventory } from "./inventory.js"

/**
 * Tells how many pets there are. The numbers are kept with the pets, in the same
 * transactions. Its promises are a contract suite in `@petstore/core/testing`.
 *
 * @experimental
 */
export class InventoryRepository extends Context.Tag("@petstore/core/InventoryRepository")<
  InventoryRepository,
  {
    /** The numbers that are kept: exact, at a cost that does not depend on how many pets there are. */
    readonly read: Effect.Effect<Inventory, StorageUnavailable>

    /**
     * Counts every pet, and keeps those numbers from now on. Answers what was kept and what was
     * counted: they differ only after a program wrote that does not count, such as an older release.
     * Writers wait meanwhile.
     */
    readonly recount: Effect.Effect<{ readonly kept: Inventory; readonly counted: Inventory }, StorageUnavailable>
  }
>() {}
