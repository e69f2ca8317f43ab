/**
 * A search by name finds the pets whose folded names begin with a key. Each code point is folded independently. Therefore the
 * parts of a text can be folded separately, and folding a text again changes nothing.
 */

/** The maximum number of code points in a search key. */
export const searchKeyMaximum = 64

/** Most names are ASCII, which only needs to be lower-cased. */
const plain = /^[\0-\x7f]*$/

/** Decomposes a text, drops the diacritics, and lower-cases each code point independently: `Élan` becomes `elan`. */
export const foldText = (text: string): string =>
  plain.test(text)
    ? text.toLowerCase()
    : Array.from(text.normalize("NFKD").replaceAll(/\p{M}/gu, ""), (codePoint) => codePoint.toLowerCase()).join("")

/** Returns the key that finds and sorts a name: the first 64 code points of the folded name. It may be empty. */
export const searchKeyOf = (name: string): string => {
  const folded = foldText(name)
  return folded.length <= searchKeyMaximum ? folded : Array.from(folded).slice(0, searchKeyMaximum).join("")
}

/** The keys from `from` up to, but excluding, `below`, in code point order, which is the byte order of UTF-8. */
export interface KeyRange {
  readonly from: string
  readonly below: string
}

/** A prefix followed by this text is greater than every key with that prefix. */
const greatest = "\u{10ffff}".repeat(searchKeyMaximum)

/** Returns the range of keys with this prefix, which must not be empty. */
export const keysFrom = (key: string): KeyRange => ({ from: key, below: key + greatest })

/** Maps a UTF-16 code unit to a number that sorts in code point order: surrogates come after all others. */
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
