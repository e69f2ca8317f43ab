import type { Category, Client } from "@petstore/client"

/** The maximum number of names on the page. A longer select box would be useless. */
const mostNames = 1_000

const collator = new Intl.Collator(undefined, { numeric: true })

let categories: ReadonlyArray<Category> = []

export const readCategories = async (petstore: Client, signal: AbortSignal): Promise<ReadonlyArray<Category>> => {
  const found: Array<Category> = []
  for await (const category of petstore.categories.listAll({}, { signal, maxRetries: 0 })) {
    found.push(category)
    if (found.length === mostNames) break
  }
  return found
}

export const holdCategories = (found: ReadonlyArray<Category>): void => {
  categories = found.toSorted((one, other) => collator.compare(one.name, other.name))
}

export const namedCategories = (): ReadonlyArray<Category> => categories

export const categoryName = (id: bigint): string => categories.find((category) => category.id === id)?.name ?? String(id)
