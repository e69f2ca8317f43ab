/** `petstore import --dry-run`: what an import would do, and the command that does it right. */
import { correctedPet, PetNotFound, PetRepository, type ValidNewPet } from "@petstore/core"
import {
  type CategoryNames,
  describedBy,
  type Layout,
  newPetRows,
  noWords,
  type PetUpdate,
  proposeWords,
  type Row,
  shown,
  updateRows,
  type Words,
  wordOf,
  wordsOfRows,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import type { DryRun } from "./dry-run-text.js"
import { readCategories } from "./import-category-words.js"
import { explain, type ImportFile, type ImportOptions, ImportReport, readBatches } from "./import-file.js"
import { commandWith, refusal, requiredOf } from "./import-proposal.js"
import { checkNewPet, checkUpdate } from "./pet-checks.js"
import { CommandFailed, type Failure } from "./program.js"
import { openStore } from "./store.js"

/** How many pets are shown. */
const exampleMaximum = 3

/** How many corrections are shown. */
const changeMaximum = 10

/** The most identifiers that a search takes. */
const searchMaximum = 100

export const dryRunOf = (file: ImportFile, report: ImportReport, options: ImportOptions): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const words = noWords()
    const survey = new ImportReport("check", "animals")
    if (file.size !== undefined) {
      yield* Stream.runDrain(readBatches(file, survey, wordsOfRows(options, requiredOf(options), words))).pipe(
        Effect.catchAll((failure) => refusal(file, options, failure)),
      )
    }
    let categories: CategoryNames = new Map()
    let examples: ReadonlyArray<string> = []
    const inStore = openStore("opens")(function* () {
      categories = yield* readCategories
      if (options.update) examples = yield* checkUpdates(file, report, options, categories)
    })
    if (options.update) {
      yield* inStore
    } else {
      // A store that does not exist yet has no categories.
      const ifThere = Effect.catchTag(inStore, "StorageNotOpened", (failure) => (failure.isMissing ? Effect.void : failure))
      if (words.categories.size > 0) yield* ifThere
      examples = yield* checkNew(file, report, options, categories)
    }
    report.dryRun = dryRun(file, options, report.layout(), words, categories, examples)
  })

const dryRun = (
  file: ImportFile,
  options: ImportOptions,
  layout: Layout | undefined,
  words: Words,
  categories: CategoryNames,
  examples: ReadonlyArray<string>,
): DryRun => {
  const used = Object.entries(layout?.columnOf ?? {}).filter(([, column]) => column !== -1)
  const places = new Set(used.map(([, column]) => column))
  const missing = [...words.categories].filter(([word]) => typeof categories.get(wordOf(word)) !== "bigint")
  const more = proposeWords(words, options, categories)
  return {
    ...(layout && {
      columns: Object.fromEntries(used.map(([member, column]) => [member, layout.names[column] ?? ""])),
      leftOut: layout.names.filter((_, column) => !places.has(column)),
    }),
    examples,
    withoutName: words.unnamed,
    unknownStatuses: Object.fromEntries(words.statuses),
    unknownCategories: options.createCategories ? {} : Object.fromEntries(missing),
    ...(Object.keys(more).length > 0 &&
      !(options.createCategories && Object.keys(more).length === 1 && more.createCategories) && {
        proposal: commandWith(file, options, describedBy(options, more)),
      }),
  }
}

const petText = ({ name, categoryId, status }: ValidNewPet): string =>
  `${shown(name)}, category ${categoryId}, ${status ?? "without a status"}`

/** Checks new pets. */
const checkNew = (file: ImportFile, report: ImportReport, options: ImportOptions, categories: CategoryNames) => {
  // With --create-categories every word has a category, whose identifier is not known yet.
  const names = options.createCategories ? { get: (word: string) => categories.get(word) ?? 0n } : categories
  const examples: Array<string> = []
  return readBatches(file, report, newPetRows(options, names, checkNewPet), options).pipe(
    Stream.runForEach((rows) =>
      Effect.sync(() => {
        const good = rows.map((row) => report.take(row)).filter((pet) => pet !== undefined)
        report.kept += good.length
        examples.push(...good.slice(0, exampleMaximum - examples.length).map((pet) => `pet: ${petText(pet)}`))
      }),
    ),
    Effect.mapError((failure) => new CommandFailed({ reason: explain(failure) })),
    Effect.map(() => {
      if (options.allOrNothing && report.rejected > 0) report.kept = 0
      return examples
    }),
  )
}

/** Checks corrections, and compares them with the pets of the store. */
const checkUpdates = (file: ImportFile, report: ImportReport, options: ImportOptions, categories: CategoryNames) =>
  Effect.gen(function* () {
    const { search } = yield* PetRepository
    const examples: Array<string> = []
    const compare = (rows: ReadonlyArray<Row<PetUpdate>>) =>
      Effect.gen(function* () {
        const id = [...new Set(rows.flatMap(({ value }) => (value === undefined ? [] : [value[0]])))]
        const found = id.length === 0 ? [] : (yield* search({ id, order: "asc", limit: searchMaximum })).pets
        const pets = new Map(found.map((pet) => [pet.id, pet]))
        for (const row of rows) {
          const update = report.take(row)
          if (update === undefined) continue
          const [petId, correction] = update
          const pet = pets.get(petId)
          if (pet === undefined) {
            report.reject(row, new PetNotFound({ petId }).message)
            continue
          }
          report.kept += 1
          const [before, after] = [petText(pet), petText(correctedPet(pet, correction))]
          if (before !== after && examples.length < changeMaximum) examples.push(`pet ${petId}: ${before} → ${after}`)
        }
      })
    yield* readBatches(file, report, updateRows(options, categories, checkUpdate), options).pipe(
      Stream.flatMap(Stream.fromIterable),
      Stream.grouped(searchMaximum),
      Stream.runForEach((rows) => compare([...rows])),
      Effect.mapError((failure) => new CommandFailed({ reason: explain(failure) })),
    )
    return examples
  })
