/** A category's identifier: a 64-bit integer, exact past 2^53. Callers choose it. Pets have it as `categoryId`. @experimental */
export type CategoryId = bigint

/** The values that a caller passes to name a category. @experimental */
export interface NewCategory {
  /** Not blank, at most 1024 code points, no U+0000 and no lone surrogate, like a pet's name. Stored exactly as given. */
  readonly name: string
}

/** A stored category: a name for the `categoryId` of pets (specification, section 4.8). @experimental */
export interface Category extends NewCategory {
  readonly id: CategoryId
}

/** Encodes a category as JSON text, with all digits of its identifier. @experimental */
export const encodeCategory = ({ id, name }: Category): string => `{"id":${id},"name":${JSON.stringify(name)}}`

/** Encodes categories as one JSON array. @experimental */
export const encodeCategories = (categories: ReadonlyArray<Category>): string => `[${categories.map(encodeCategory).join(",")}]`
