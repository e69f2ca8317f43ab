/** Realistic pets from a seed: 100 000 names, some much more frequent than others, and 50 categories. */

/** The number of names. */
const names = 100_000

const syllables = [..."bdfgklmnprstvz"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel)).slice(0, 47)

/**
 * Spreads the ranks over the names, so that frequent names are not adjacent in an index. This is a prime larger than the number
 * of names.
 */
const spread = 100_003

/** A name for each rank below {@link names}. Three syllables are enough for all combinations. */
const nameOf = (rank: number): string => {
  const place = (rank * 7_919) % spread
  const parts = [place, place / 47, place / 47 ** 2].map((digit) => syllables[Math.floor(digit) % 47] ?? "")
  const name = parts.join("")
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Random numbers below 1 from a seed (mulberry32). */
const randomOf = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

export interface DrawnPet {
  readonly name: string
  readonly categoryId: number
}

/** Draws one pet after another. The lower the rank of a name, the more frequent the name (Zipf's law). */
export const drawPets = (seed: number): (() => DrawnPet) => {
  const random = randomOf(seed)
  return () => ({ name: nameOf(Math.floor(names ** random())), categoryId: 1 + Math.floor(50 * random()) })
}
