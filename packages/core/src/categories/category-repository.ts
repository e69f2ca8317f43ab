import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Actor } from "../changes/actor.js"
import type { StorageUnavailable } from "../errors.js"
import type { Category, CategoryId } from "./category.js"

/** Which categories to list: at most `limit`, optionally after an identifier. @experimental */
export interface CategorySelection {
  readonly after: Option.Option<CategoryId>
  readonly limit: number
}

/**
 * Stores the names of categories exactly as given. Pets may have a category without a name, and a named category needs no pets.
 * `@petstore/core/testing` has its contract suite.
 *
 * @experimental
 */
export class CategoryRepository extends Context.Tag("@petstore/core/CategoryRepository")<
  CategoryRepository,
  {
    /** Replaces `former`, the category as read (`None` if absent). Returns false if the category has changed since then. */
    readonly replace: (
      category: Category,
      former: Option.Option<Category>,
      by?: Actor,
    ) => Effect.Effect<boolean, StorageUnavailable>

    /** Removes a category. Returns false, and removes nothing, if the category has changed since it was read. */
    readonly remove: (former: Category, by?: Actor) => Effect.Effect<boolean, StorageUnavailable>

    /** Finds the category with this identifier, if there is one. */
    readonly find: (id: CategoryId) => Effect.Effect<Option.Option<Category>, StorageUnavailable>

    /** Lists the selected categories by ascending identifier. The time depends on `limit`, not on the number of categories. */
    readonly list: (selection: CategorySelection) => Effect.Effect<ReadonlyArray<Category>, StorageUnavailable>
  }
>() {}
