/** Categories as a caller holds them, their JSON, and their operations. Experimental: all may change in a minor release. */
import type { CallOptions, ChangeOptions } from "./call-options.js"
import type { ListQuery } from "./page.js"
import { int64, members } from "./pet.js"

/**
 * The name for a category.
 *
 * @experimental
 */
export interface NewCategory {
  /** Not blank, at most 1024 code points; kept exactly as given. Several categories may have one name. */
  readonly name: string
}

/**
 * A category that has a name.
 *
 * @experimental
 */
export interface Category extends NewCategory {
  /** The `categoryId` of pets: a 64-bit integer, exact past 2^53. */
  readonly id: bigint
}

/**
 * One page of categories, by ascending identifier.
 *
 * @experimental
 */
export interface CategoryPage {
  readonly items: ReadonlyArray<Category>
  /** The query of the next page; absent on the last page. */
  readonly next?: ListQuery & { readonly cursor: string }
}

/**
 * The operations of categories. Each rejects with a `PetstoreError`.
 *
 * @experimental
 */
export interface Categories {
  /** Lists one page of categories by ascending identifier, 20 of them unless `limit` says otherwise. */
  readonly list: (query?: ListQuery, options?: CallOptions) => Promise<CategoryPage>

  /** Every category, page by page as you go. */
  readonly listAll: (query?: ListQuery, options?: CallOptions) => AsyncGenerator<Category, void, undefined>

  /** Gets one category by its identifier. Fails with `category_not_found` if it has no name, even if pets have it. */
  readonly get: (id: bigint, options?: CallOptions) => Promise<Category>

  /**
   * Names a category, whether it has a name or not.
   *
   * @example
   * const dogs = await petstore.categories.replace(7n, { name: "Dogs" })
   * await petstore.categories.replace(7n, { name: "Hounds" }, { ifMatch: etagOf(dogs) })
   */
  readonly replace: (id: bigint, category: NewCategory, options?: ChangeOptions) => Promise<Category>

  /** Removes the name of a category. Pets keep their `categoryId`. */
  readonly remove: (id: bigint, options?: ChangeOptions) => Promise<void>
}

/** The body of categories.replace. */
export const encodeNewCategory = ({ name }: NewCategory): string => {
  if (typeof name !== "string") throw new TypeError(`name must be a string, got ${typeof name}.`)
  return `{"name":${JSON.stringify(name)}}`
}

/** A category of a response, or `undefined` if it is not one. Members that the contract does not name are left out. */
export const decodeCategory = (json: unknown): Category | undefined => {
  const { id: jsonId, name } = members(json)
  const id = int64(jsonId)
  return id === undefined || typeof name !== "string" ? undefined : { id, name }
}
