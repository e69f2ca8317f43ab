/**
 * How pets are found by the beginning of their names: what a name and a searched text have in common is their folded form.
 *
 * Folding goes code point by code point, so folding a text is folding its parts, and folding it again changes nothing.
 */

/** How much of a folded name is searched, in code points. */
export const searchKeyMaximum = 64

/** What folds to itself but for its case, which is most names. */
const plain = /^[\0-\x7f]*$/

/** Decomposes, drops marks, and lower-cases each code point by itself: `Élan` is `elan`. */
export const foldText = (text: string): string =>
  plain.test(text)
    ? text.toLowerCase()
    : Array.from(text.normalize("NFKD").replaceAll(/\p{M}/gu, ""), (codePoint) => codePoint.toLowerCase()).join("")

/** By what a name is found and ordered: the first 64 code points of the folded name. Empty if nothing is left of it. */
export const searchKeyOf = (name: string): string => {
  const folded = foldText(name)
  return folded.length <= searchKeyMaximum ? folded : Array.from(folded).slice(0, searchKeyMaximum).join("")
}

/** The keys from one to below another, in code point order: in UTF-8, that of the bytes. */
export interface KeyRange {
  readonly from: string
  readonly below: string
}

/** The greatest code point. A text with as many of them behind a key as a key is long is behind every key that begins with it. */
const greatest = "\u{10ffff}".repeat(searchKeyMaximum)

/** The keys that begin with a key, which is not empty. */
export const keysFrom = (key: string): KeyRange => ({ from: key, below: key + greatest })

/** A unit of UTF-16 so that units compare as the code points they are of: surrogates after all others. */
const rank = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit)

/** Compares texts in code point order. */
export const byCodePoint = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}
