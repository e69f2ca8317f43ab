/** The words by which a search finds a name (specification, section 4.1). Names and searched texts are folded alike. */

/** The maximum number of code points in a searched text, and in a word. */
export const wordMaximum = 64

/** Most names are ASCII, which is folded by lower case alone. */
const isPlain = /^[\0-\x7f]*$/

/** The apostrophe, and what keyboards and other writing systems use in its place. */
const apostrophes = /['`\u00b4\u02b9-\u02bf\u05f3\u2018\u2019\u201b\u2032]/g

/** Marks that select a glyph of the character before them. Keyboards have no keys for them. */
const variationSelectors = /\p{Variation_Selector}/gu

/** In these scripts, a mark is an accent, a vowel point or a breathing, which people leave out. */
const accented = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu

/** Letters that do not decompose, and the final sigma, as people type them. The dotless i becomes `i` by its upper case. */
const typed: Readonly<Record<string, string>> = { ł: "l", ø: "o", đ: "d", ħ: "h", æ: "ae", œ: "oe", þ: "th", ð: "d", ς: "σ" }

const undecomposed = new RegExp(`[${Object.keys(typed).join("")}]`, "g")

const words = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

const fold = (text: string): string =>
  text
    .replaceAll(apostrophes, "")
    .normalize("NFKD")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(apostrophes, "")
    .replaceAll(variationSelectors, "")
    .replaceAll(accented, "$1")
    .replaceAll(undecomposed, (letter) => typed[letter] ?? letter)
    .normalize("NFC")

const cut = (word: string): string => (word.length <= wordMaximum ? word : Array.from(word).slice(0, wordMaximum).join(""))

/**
 * Returns the words of a text in order: runs of letters, digits and marks, without differences of case, width or accents.
 *
 * @example wordsOf("Mr. O’Neill’s Élan") // ["mr", "oneills", "elan"]
 */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const folded = isPlain.test(text) ? text.replaceAll(apostrophes, "").toLowerCase() : fold(text)
  // `Array.from` with a function would take three times as long as all of this.
  return (folded.match(words) ?? []).map(cut)
}

/** Returns the words that a name must begin words with, sorted, without those that another one implies. */
export const beginningsOf = (text: string): ReadonlyArray<string> => {
  const sorted = [...new Set(wordsOf(text))].toSorted()
  return sorted.filter((word, index) => !sorted[index + 1]?.startsWith(word))
}

/** Returns the function that decides whether each beginning is that of a word of a name. */
export const hasWords =
  (beginnings: ReadonlyArray<string>) =>
  (name: string): boolean => {
    const all = wordsOf(name)
    return beginnings.every((beginning) => all.some((word) => word.startsWith(beginning)))
  }
