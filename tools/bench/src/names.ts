/** Realistic pets from a seed: 100 000 names, some much more frequent than others, and 50 categories. */
import { Random } from "@petstore/harness/random"

const names = 100_000

const syllables = [..."bdfgklmnprstvz"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel)).slice(0, 47)

/** A prime above the number of names. It spreads the ranks, so that frequent names are not adjacent in an index. */
const spread = 100_003

/** A name for each rank below {@link names}. Three syllables have more combinations than there are names. */
const nameOf = (rank: number): string => {
  const place = (rank * 7_919) % spread
  const parts = [place, place / 47, place / 47 ** 2].map((digit) => syllables[Math.floor(digit) % 47] ?? "")
  const name = parts.join("")
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Draws one pet after another. The lower the rank of a name, the more frequent the name (Zipf's law). */
export const drawPets = (seed: number) => {
  const random = new Random(seed)
  return () => ({ name: nameOf(Math.floor(names ** random.next())), categoryId: random.integer(1, 50) })
}
