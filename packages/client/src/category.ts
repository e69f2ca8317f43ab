/** Categories as callers see them, their JSON, and their operations. Experimental: they may change in a minor release. */
import type { CallOptions, ChangeOptions } from "./call-options.js"
import { bodyOf, int64, mustBeText, object, text } from "./fields.js"
import type { ListQuery } from "./page.js"
import type { Result } from "./result.js"

/** The values of a category's new name. @experimental */
export interface NewCategory {
  /** Not blank, at most 1024 code points. Stored exactly as given. Several categories may have the same name. */
  readonly name: string
}

/** A category that has a name. @experimental */
export interface Category extends NewCategory {
  /** The `categoryId` of pets: a 64-bit integer, exact past 2^53. */
  readonly id: bigint
}

/** One page of categories, sorted by ascending identifier. @experimental */
export interface CategoryPage {
  readonly items: ReadonlyArray<Category>
  /** The query for the next page. Absent on the last page. */
  readonly next?: ListQuery & { readonly cursor: string }
}

/** The operations on categories. They reject with a `PetstoreError`, or a `TypeError` for an invalid argument. @experimental */
export interface Categories {
  /** Lists one page of categories by ascending identifier: 20 categories, unless `limit` says otherwise. */
  readonly list: (query?: ListQuery, options?: CallOptions) => Promise<Result<CategoryPage>>

  /** Iterates over every category. Pages are requested as you consume them. */
  readonly listAll: (query?: ListQuery, options?: CallOptions) => AsyncGenerator<Category, void, undefined>

  /** Gets one category by its identifier. Fails with `category_not_found` if the category has no name, even if it has pets. */
  readonly get: (id: bigint, options?: CallOptions) => Promise<Result<Category>>

  /**
   * Names a category, whether or not it already has a name.
   *
   * @example
   * const { etag } = await petstore.categories.replace(7n, { name: "Dogs" })
   * await petstore.categories.replace(7n, { name: "Hounds" }, { ifMatch: etag })
   */
  readonly replace: (id: bigint, category: NewCategory, options?: ChangeOptions) => Promise<Result<Category>>

  /** Removes a category's name. Pets keep their `categoryId`. */
  readonly remove: (id: bigint, options?: ChangeOptions) => Promise<Result<undefined>>
}

export const encodeNewCategory = bodyOf<NewCategory>({ name: mustBeText }, {})

export const decodeCategory = object<Category>({ id: int64, name: text }, {})
