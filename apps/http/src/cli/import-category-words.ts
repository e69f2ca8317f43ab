/** Categories by name: the names that the store has, and new categories for the words of a file. */
import { type Category, CategoryRepository, decodeNewCategory, streamCategories } from "@petstore/core"
import { type CategoryNames, categoryNamesOf, wordOf } from "@petstore/pet-files"
import { Effect, Either, Option, Stream } from "effect"
import { CommandFailed } from "./program.js"

/** The identifiers of the store's categories, keyed by their names. */
export const readCategories = Effect.map(Stream.runCollect(streamCategories), categoryNamesOf)

/** The words that no category is named after, as names for new categories. The first spelling of a word counts. */
export const missingIn = (words: Iterable<string>, names: CategoryNames): ReadonlyArray<string> => {
  const missing = new Map<string, string>()
  for (const word of words) {
    if (names.get(wordOf(word)) === undefined) missing.set(wordOf(word), missing.get(wordOf(word)) ?? word.trim())
  }
  return [...missing.values()]
}

/** Creates a category for each word that no category is named after. Their identifiers follow the highest one. */
export const createMissing = (words: Iterable<string>) =>
  Effect.gen(function* () {
    const { replace } = yield* CategoryRepository
    let next = yield* Stream.runFold(streamCategories, 0n, (highest, { id }) => (id > highest ? id : highest))
    const missing = missingIn(words, yield* readCategories)
    for (const name of missing) {
      const category = decodeNewCategory({ name })
      if (Either.isLeft(category))
        return yield* new CommandFailed({ reason: `No category can be created: ${category.left.message}` })
      let isNew = false
      while (!isNew) {
        next += 1n
        isNew = yield* replace({ id: next, ...category.right } satisfies Category, Option.none())
      }
    }
    return missing
  })
