/**
 * Search keys: pets are found by the beginning of their folded names.
 *
 * Each code point is folded alone, so the folded text is that of its folded parts, and folding it again changes nothing.
 */

/** How much of a folded name is searched, in code points. */
export const searchKeyMaximum = 64

/** Most names only need lower case. */
const plain = /^[\0-\x7f]*$/

/** Decomposes, drops marks, and lower-cases each code point by itself: `Élan` is `elan`. */
export const foldText = (text: string): string =>
  plain.test(text)
    ? text.toLowerCase()
    : Array.from(text.normalize("NFKD").replaceAll(/\p{M}/gu, ""), (codePoint) => codePoint.toLowerCase()).join("")

/** The key by which a name is found and ordered: the first 64 code points of the folded name. Empty if nothing remains. */
export const searchKeyOf = (name: string): string => {
  const folded = foldText(name)
  return folded.length <= searchKeyMaximum ? folded : Array.from(folded).slice(0, searchKeyMaximum).join("")
}

/** The keys from one up to, but excluding, another, in code point order, which is the byte order of UTF-8. */
export interface KeyRange {
  readonly from: string
  readonly below: string
}

/**
 * The greatest code point. A prefix, followed by as many of them as a key is long, is greater than every key with that prefix.
 */
const greatest = "\u{10ffff}".repeat(searchKeyMaximum)

/** The keys with this prefix, which is not empty. */
export const keysFrom = (key: string): KeyRange => ({ from: key, below: key + greatest })

/** A UTF-16 unit as a number that sorts in code point order: surrogates after all others. */
const rank = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit)

/** Compares strings in code point order. */
export const byCodePoint = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}
