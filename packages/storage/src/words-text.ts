import { wordsOf } from "@petstore/core"

/** Most names are words already, but for their case. */
const areWords = /^[a-z0-9]{1,64}(?: [a-z0-9]{1,64})*$/

/** The words of a name as stores keep them. */
export const wordsTextOf = (name: string): string => {
  const lower = name.toLowerCase()
  return areWords.test(lower) ? lower : wordsOf(name).join(" ")
}

/** An index reads all pets with each word that it searches for, so a search with many words must not search for all of them. */
const searchedMaximum = 3

/** The longest words of a search, which are the rarest, for an index to search for. The pets found must have all words. */
export const longestOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.toSorted((one, other) => other.length - one.length).slice(0, searchedMaximum)
