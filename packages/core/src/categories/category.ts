/** The name of a category identifier: experimental (specification, section 4.8). */

/**
 * Identifier of a category: a 64-bit integer, exact past 2^53. Callers choose it: it is the `categoryId` of pets.
 *
 * @experimental
 */
export type CategoryId = bigint

/**
 * What a caller gives to name a category.
 *
 * @experimental
 */
export interface NewCategory {
  /** As the name of a pet: not blank, at most 1024 code points, no U+0000, no lone surrogate; kept exactly as given. */
  readonly name: string
}

/**
 * A category as the store keeps it.
 *
 * @experimental
 */
export interface Category extends NewCategory {
  readonly id: CategoryId
}

/**
 * A category as JSON text, its identifier to the last digit.
 *
 * @experimental
 */
export const encodeCategory = ({ id, name }: Category): string => `{"id":${id},"name":${JSON.stringify(name)}}`

/**
 * Categories as one JSON array.
 *
 * @experimental
 */
export const encodeCategories = (categories: ReadonlyArray<Category>): string => `[${categories.map(encodeCategory).join(",")}]`
