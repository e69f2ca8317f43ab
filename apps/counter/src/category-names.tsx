import { now } from "./state.ts"

/** Returns the name of a category, or its number if it has no name. */
export const categoryName = (id: bigint): string => now().categories.find((category) => category.id === id)?.name ?? String(id)

export const CategoryName = ({ id }: { readonly id: bigint }) => <bdi>{categoryName(id)}</bdi>
