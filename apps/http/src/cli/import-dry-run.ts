/** `petstore import --dry-run`: what an import would do, and the command that does it right. */
import { correctedPet, minInt64, type PetId, PetNotFound, PetRepository, type ValidNewPet } from "@petstore/core"
import {
  type CategoryNames,
  describedBy,
  type Layout,
  newPetRows,
  noWords,
  type PetUpdate,
  proposeWords,
  type Row,
  type RowDecoder,
  shown,
  updateRows,
  type Words,
  wordOf,
  wordsOfRows,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import type { DryRun } from "./dry-run-text.js"
import { missingIn, readCategories } from "./import-category-words.js"
import { explain, type ImportFile, type ImportOptions, ImportReport, readBatches } from "./import-file.js"
import { keyedRows, surveyKeyed } from "./import-keyed.js"
import { keepLineEnds } from "./import-line-ends.js"
import { checkKeyColumn, commandWith, refusal, requiredOf, unsureOf } from "./import-proposal.js"
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
    yield* checkKeyColumn(file, survey.layout(), options)
    let categories: CategoryNames = new Map()
    let found: Found = { examples: [] }
    if (options.update) {
      yield* inStore(function* () {
        categories = yield* readCategories
        found = { examples: yield* checkUpdates(file, report, options, categories) }
      })
    } else {
      // A store that does not exist yet has no categories.
      const read = inStore(function* () {
        categories = yield* readCategories
      })
      const ifThere = Effect.catchTag(read, "StorageNotOpened", (failure) => (failure.isMissing ? Effect.void : failure))
      if (words.categories.size > 0) yield* ifThere
      found = yield* checkNew(file, report, options, words, categories)
      const { changed = new Map() } = found
      if (changed.size > 0) {
        yield* inStore(function* () {
          found = { ...found, examples: [...found.examples, ...(yield* changesOf(changed))] }
        })
      }
    }
    report.dryRun = dryRun(file, options, report.layout(), words, categories, found)
  })

const inStore = openStore("opens")

/** What the rows would do. */
interface Found extends Pick<DryRun, "examples" | "keyed"> {
  /** The texts of the first pets that would change, with --key. */
  readonly changed?: ReadonlyMap<PetId, string>
}

/** Compares the pets of the store with what they would be. */
const changesOf = (changed: ReadonlyMap<PetId, string>) =>
  Effect.gen(function* () {
    const { search } = yield* PetRepository
    const { pets } = yield* search({ id: [...changed.keys()], order: "asc", limit: searchMaximum })
    const before = new Map(pets.map((pet) => [pet.id, petText(pet)]))
    return [...changed].map(([id, after]) => `pet ${id}: ${before.get(id) ?? "is not in the store"} → ${after}`)
  })

const dryRun = (
  file: ImportFile,
  options: ImportOptions,
  layout: Layout | undefined,
  words: Words,
  categories: CategoryNames,
  { examples, keyed }: Found,
): DryRun => {
  const used = Object.entries(layout?.columnOf ?? {}).filter(([, column]) => column !== -1)
  const places = new Set(used.map(([, column]) => column))
  const missing = [...words.categories].filter(([word]) => typeof categories.get(wordOf(word)) !== "bigint")
  const more = proposeWords(words, options, categories)
  const unsure = unsureOf(more)
  return {
    ...(layout && {
      columns: Object.fromEntries(used.map(([member, column]) => [member, layout.names[column] ?? ""])),
      leftOut: layout.names.filter((_, column) => !places.has(column)),
    }),
    examples,
    ...(keyed && { keyed }),
    withoutName: words.unnamed,
    unknownStatuses: Object.fromEntries(words.statuses),
    unknownCategories: options.createCategories ? {} : Object.fromEntries(missing),
    ...(unsure !== undefined && { unsure }),
    ...(Object.keys(more).length > 0 &&
      !(options.createCategories && Object.keys(more).length === 1 && more.createCategories) && {
        proposal: commandWith(file, options, describedBy(options, more)),
      }),
  }
}

/** @param made  the names of categories that do not exist yet */
const petText = ({ name, categoryId, status }: ValidNewPet, made: ReadonlyMap<bigint, string> = new Map()): string => {
  const word = made.get(categoryId)
  const category = word === undefined ? String(categoryId) : `${shown(word)}, which is new`
  return `${shown(name)}, category ${category}, ${status ?? "without a status"}`
}

/** Checks new pets. */
const checkNew = (file: ImportFile, report: ImportReport, options: ImportOptions, words: Words, categories: CategoryNames) => {
  // With --create-categories every word has a category, whose identifier is not known yet.
  const missing = options.createCategories ? missingIn(words.categories.keys(), categories) : []
  const made = new Map(missing.map((name, index) => [minInt64 + BigInt(index), name] as const))
  const idOfMade = new Map([...made].map(([id, name]) => [wordOf(name), id]))
  const names = { get: (word: string) => categories.get(word) ?? idOfMade.get(word) }
  const examples: Array<string> = []
  const take = (pet: ValidNewPet): void => {
    if (examples.length < exampleMaximum) examples.push(`${options.key === undefined ? "" : "new "}pet: ${petText(pet, made)}`)
  }
  const decoder = newPetRows(options, names, checkNewPet)
  const { key, ids } = options
  const found =
    key === undefined || ids === undefined
      ? Effect.as(surveyNew(file, report, options, decoder, take), { examples })
      : Effect.gen(function* () {
          const changed = new Map<PetId, string>()
          const counts = { new: 0, changed: 0, unchanged: 0 }
          yield* surveyKeyed(file, report, keyedRows(decoder, key), options, ids, (pet, id, isChanged) => {
            counts[id === undefined ? "new" : isChanged ? "changed" : "unchanged"] += 1
            if (id === undefined) take(pet)
            else if (isChanged && changed.size < changeMaximum) changed.set(id, petText(pet, made))
          })
          return { examples, keyed: counts, changed }
        })
  return Effect.map(found, (result) => {
    if (options.allOrNothing && report.rejected > 0) report.kept = 0
    return result
  })
}

const surveyNew = (
  file: ImportFile,
  report: ImportReport,
  options: ImportOptions,
  decoder: RowDecoder<ValidNewPet>,
  take: (pet: ValidNewPet) => void,
) =>
  readBatches(file, report, decoder, options).pipe(
    Stream.runForEach((rows) =>
      Effect.sync(() => {
        const good = rows.map((row) => report.take(row)).filter((pet) => pet !== undefined)
        report.kept += good.length
        good.forEach(take)
      }),
    ),
    Effect.mapError((failure) => new CommandFailed({ reason: explain(failure) })),
  )

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
        const good = rows.flatMap((row) => {
          const update = report.take(row)
          return update === undefined ? [] : [{ row, update }]
        })
        const given = good.map(({ update }) => update)
        const updates = options.forSpreadsheet ? yield* keepLineEnds(given) : given
        for (const [index, { row, update }] of good.entries()) {
          const [petId, correction] = updates[index] ?? update
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
