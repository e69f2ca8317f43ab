/**
 * A delivery of pets for a page: pasted rows or a CSV file, with the checks and the preview of `petstore import --dry-run`. Small
 * enough for a page: without Effect, Node, terminal and store.
 *
 * The page shows {@link Delivery.rows}, and sends the good ones by `createPet`. A person chooses columns and the meaning of words by
 * changing the description, and the page reads the same bytes again.
 */
import type { ValidNewPet } from "@petstore/core"
import { newPetDecoder } from "@petstore/core/internal"
import { csvRows } from "./csv-rows.js"
import { describedBy, type FileDescription } from "./description.js"
import type { Layout } from "./layout.js"
import { type CategoryNames, type Members, newPetRows, noWords, proposeWords, type Words, wordsOfRows } from "./pet-rows.js"
import { FileRefused } from "./refused.js"
import { type Decoded, type Row, type RowDecoder, type RowReader, readerOf } from "./row.js"

export { describedBy, type FileDescription } from "./description.js"
export { type CategoryNames, categoryNamesOf, type Words } from "./pet-rows.js"
export { FileRefused } from "./refused.js"
export type { Row } from "./row.js"

/** A delivery as it would be added. */
export interface Delivery {
  /** The description under which it was read: the given one and what was guessed, such as columns, for a person to look at. */
  readonly description: FileDescription
  /** The columns: their names, and the place of each member's column, or -1. */
  readonly layout: Layout
  /** Each row with its line, and either the pet in `value` or the reason against it in `problem`. */
  readonly rows: ReadonlyArray<Row<ValidNewPet>>
  /** The words for statuses that have no meaning yet, those for categories, and the number of rows without a name. */
  readonly words: Words
  /** What would give these words a meaning. `describedBy` adds it, and a category is created for each word of `words.categories`. */
  readonly proposal: FileDescription
}

/** How many times a guess may lead to another. */
const guessMaximum = 5

const checkNewPet = ({ name, categoryId, status }: Members): Decoded<ValidNewPet> =>
  newPetDecoder.fromProgram({ name, categoryId, status })

const readAll = <A>(bytes: Uint8Array, description: FileDescription, decoder: RowDecoder<A>) => {
  const reader: RowReader<A> = readerOf(description, () => csvRows(description, decoder))
  const rows = [...reader.take(bytes), ...reader.end()]
  return { rows, layout: reader.layout() }
}

/** Finds out how the bytes can be read, and counts their words. */
const survey = (bytes: Uint8Array, given: FileDescription) => {
  let description = given
  for (let round = 0; ; round += 1) {
    const words = noWords()
    try {
      readAll(bytes, description, wordsOfRows(description, ["name", "categoryId"], words))
      return { description, words }
    } catch (thrown) {
      if (!(thrown instanceof FileRefused) || !thrown.isEnough || round === guessMaximum) throw thrown
      description = describedBy(description, thrown.proposal)
    }
  }
}

/**
 * Reads a delivery. Throws {@link FileRefused} if nothing of it can be read: `message` says why, `columns` names its columns, and
 * `proposal` is as much of a description as can be guessed, with the column `HEADER` where a person has to choose.
 *
 * @param bytes       the file, or `new TextEncoder().encode(pasted)`
 * @param given       what a person has chosen so far; `{}` at first
 * @param categories  `categoryNamesOf` the store's categories
 */
export const readDelivery = (bytes: Uint8Array, given: FileDescription, categories: CategoryNames): Delivery => {
  const { description, words } = survey(bytes, given)
  const { rows, layout } = readAll(bytes, description, newPetRows(description, categories, checkNewPet))
  if (layout === undefined) throw new FileRefused("The file is empty.")
  return { description, layout, rows, words, proposal: proposeWords(words, description, categories) }
}
