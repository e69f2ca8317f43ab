import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../errors.js"
import type { Inventory } from "./inventory.js"

/** Counts pets. Counts and pets change in one transaction. `@petstore/core/testing` has its contract suite. @experimental */
export class InventoryRepository extends Context.Tag("@petstore/core/InventoryRepository")<
  InventoryRepository,
  {
    /** Reads the stored counts. They are exact, and the time does not depend on the number of pets. */
    readonly read: Effect.Effect<Inventory, StorageUnavailable>

    /**
     * Counts every pet, and stores the result. Returns the former and the new counts. They differ only if a program that does
     * not maintain the counts, such as manual SQL, has written pets. Writers wait while the pets are counted.
     */
    readonly recount: Effect.Effect<{ readonly kept: Inventory; readonly counted: Inventory }, StorageUnavailable>
  }
>() {}
