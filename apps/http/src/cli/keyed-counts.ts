/** What the rows of a file with keys are, compared with the file of identifiers. */

/** How many rows are new, and how many changed or not since the import that wrote their line in the file of identifiers. */
export type KeyedCounts = Record<"new" | "changed" | "unchanged", number>

export const noCounts = (): KeyedCounts => ({ new: 0, changed: 0, unchanged: 0 })

/** What a row is, by the content that is known of its key. */
export const kindOf = (known: string | undefined, content: string): keyof KeyedCounts => {
  if (known === undefined) return "new"
  return known === content ? "unchanged" : "changed"
}
