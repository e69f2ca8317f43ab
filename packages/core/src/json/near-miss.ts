/** Removes differences in naming style: `category_id`, `CategoryID`, `categoryId[]` and `categoryId` become the same name. */
export const foldedName = (name: string): string => name.replaceAll(/[-_ ]|\[\]/g, "").toLowerCase()

/** What is said of a parameter or member that was sent in another spelling. */
export const otherSpelling = "expected the name in this spelling"

/**
 * Finds the known names that were probably meant, with what was sent in their place: a name that differs only in style. If the
 * known name was sent as well, the other one is only unknown.
 */
export const nearMisses = (
  sent: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): ReadonlyArray<readonly [name: string, sent: string]> => {
  const unknown = sent.filter((name) => !known.includes(name))
  if (unknown.length === 0) return []
  return known.flatMap((name) => {
    const near = sent.includes(name) ? undefined : unknown.find((other) => foldedName(other) === foldedName(name))
    return near === undefined ? [] : [[name, near] as const]
  })
}
