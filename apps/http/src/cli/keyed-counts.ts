/** What the rows of a file with keys are, compared with the file of identifiers. */

/** How many rows are new, and how many changed or not since the import that wrote their line in the file of identifiers. */
export type KeyedCounts = Record<"new" | "changed" | "unchanged", number>

export const noCounts = (): KeyedCounts => ({ new: 0, changed: 0, unchanged: 0 })

/** Tells what each row is, as if those before it were kept. `known` is the content that is known of a key. */
export const kindsFrom = (known: (key: string) => string | undefined) => {
  const contents = new Map<string, string>()
  return (key: string, content: string): keyof KeyedCounts => {
    const former = contents.get(key) ?? known(key)
    contents.set(key, content)
    if (former === undefined) return "new"
    return former === content ? "unchanged" : "changed"
  }
}
