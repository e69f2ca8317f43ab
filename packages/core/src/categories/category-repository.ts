/** Port: keeps the names of categories. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../errors.js"
import type { Category, CategoryId } from "./category.js"

/**
 * Which categories to list: those after an identifier or from the first, at most `limit`.
 *
 * @experimental
 */
export interface CategorySelection {
  readonly after: Option.Option<CategoryId>
  readonly limit: number
}

/**
 * Keeps names of categories exactly as given. A pet needs no category, and a category no pet. Its promises are a
 * contract suite in `@petstore/core/testing`.
 *
 * @experimental
 */
export class CategoryRepository extends Context.Tag("@petstore/core/CategoryRepository")<
  CategoryRepository,
  {
    /**
     * Replaces `former`, the category as it was read, or `None` if it did not exist. Returns whether it did: false if the
     * category has changed since.
     */
    readonly replace: (category: Category, former: Option.Option<Category>) => Effect.Effect<boolean, StorageUnavailable>

    /** Removes a category. Returns whether it did: false if it was renamed or removed since. */
    readonly remove: (former: Category) => Effect.Effect<boolean, StorageUnavailable>

    /** The category with this identifier, if there is one. */
    readonly find: (id: CategoryId) => Effect.Effect<Option.Option<Category>, StorageUnavailable>

    /** Selected categories by ascending identifier. The cost depends on `limit`, not on the number of categories. */
    readonly list: (selection: CategorySelection) => Effect.Effect<ReadonlyArray<Category>, StorageUnavailable>
  }
>() {}
