/** `petstore import --dry-run`: what an import would do, and the command that does it right. */
import { correctedPet, minInt64, type PetId, PetNotFound, PetRepository, type ValidNewPet } from "@petstore/core"
import {
  type CategoryNames,
  type FileDescription,
  newPetRows,
  noWords,
  optionsOf,
  type PetUpdate,
  type Row,
  shown,
  updateRows,
  type Words,
  wordOf,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import type { DryRun } from "./dry-run-text.js"
import { missingIn, readCategories } from "./import-category-words.js"
import { refuseDoubles } from "./import-doubles.js"
import { explain, type ImportFile, type ImportOptions, type ImportReport, readBatches, survey } from "./import-file.js"
import { keyedRows, surveyKeyed } from "./import-keyed.js"
import { keepLineEnds } from "./import-line-ends.js"
import { checkKeyColumn, commandWith, keyAdvice, type Proposal, proposalFor, refusalText, unsureOf } from "./import-proposal.js"
import { checkNewPet, checkUpdate } from "./pet-checks.js"
import { CommandFailed, type Failure, provideServices, withConfig } from "./program.js"
import { openStore } from "./store.js"

/** How many pets are shown. */
const exampleMaximum = 3

/** How many corrections are shown. */
const changeMaximum = 10

/** The most identifiers that a search takes. */
const searchMaximum = 100

export const dryRunOf = (file: ImportFile, report: ImportReport, options: ImportOptions): Effect.Effect<void, Failure> => {
  const program = dryRunIn(file, report, options)
  const opened = openStore("opens")(function* () {
    yield* program
  })
  // An empty store in memory stands for one that the import would create.
  const inMemory = withConfig(function* (config) {
    yield* provideServices({ ...config, database: { adapter: "memory" } }, program)
  })
  return Effect.catchTag(opened, "StorageNotOpened", (failure) =>
    failure.isMissing === true && !options.update ? inMemory : failure,
  )
}

const dryRunIn = (file: ImportFile, report: ImportReport, options: ImportOptions) =>
  Effect.gen(function* () {
    const categories = yield* readCategories
    const proposal = file.size === undefined ? asGiven(options) : yield* proposalFor(file, options, categories)
    const { refused, words, layout, description } = proposal
    if (!proposal.isComplete && refused) {
      return yield* new CommandFailed({ reason: refusalText(file, options, refused, proposal) })
    }
    yield* checkKeyColumn(file, layout, options)
    yield* refuseDoubles(file, options, words)
    const check = options.update ? checkUpdates : checkNew
    const found = yield* check({ ...file, description }, report, { ...options, ...description }, words, categories)
    report.dryRun = dryRun(file, options, proposal, report, categories, found)
  })

const asGiven = (description: FileDescription): Proposal => ({ description, isComplete: true, words: noWords() })

/** What the rows would do. */
type Found = Pick<DryRun, "examples" | "more">

/** Compares the pets of the store with what they would be. */
const changesOf = (changed: ReadonlyMap<PetId, string>) =>
  Effect.gen(function* () {
    if (changed.size === 0) return []
    const { search } = yield* PetRepository
    const { pets } = yield* search({ id: [...changed.keys()], order: "asc", limit: searchMaximum })
    const before = new Map(pets.map((pet) => [pet.id, petText(pet)]))
    return [...changed].map(([id, after]) => `pet ${id}: ${before.get(id) ?? "is not in the store"} → ${after}`)
  })

const dryRun = (
  file: ImportFile,
  options: ImportOptions,
  { description, refused, words, key }: Proposal,
  report: ImportReport,
  categories: CategoryNames,
  { examples, more }: Found,
): DryRun => {
  const layout = report.layout()
  const used = Object.entries(layout?.columnOf ?? {})
    .filter(([, column]) => column !== -1)
    .toSorted(([, one], [, other]) => one - other)
  const places = new Set(used.map(([, column]) => column))
  const missing = [...words.categories].filter(([word]) => typeof categories.get(wordOf(word)) !== "bigint")
  const unsure = unsureOf(description, options.statuses)
  const command = commandWith(file, options, description, key)
  const isNeeded = optionsOf(description) !== optionsOf(options)
  return {
    ...(refused && { refused: explain(refused) }),
    ...(layout && {
      columns: Object.fromEntries(
        used.map(([member, column]) => [member === options.key ? "key" : member, layout.names[column] ?? ""]),
      ),
      leftOut: layout.names.filter((_, column) => !places.has(column)),
    }),
    examples,
    more,
    withoutName: words.unnamed,
    unknownStatuses: Object.fromEntries(words.statuses),
    unknownCategories: options.createCategories ? {} : Object.fromEntries(missing),
    meanings: description.statuses ?? {},
    ...(unsure !== undefined && { unsure }),
    // A command that keeps nothing is not worth a try.
    ...(report.kept > 0 && {
      ...(key !== undefined && { keyAdvice: keyAdvice(key) }),
      ...(isNeeded ? { proposal: command } : key !== undefined && { proposalWithKey: command }),
    }),
  }
}

/** @param made  the names of categories that do not exist yet */
const petText = ({ name, categoryId, status }: ValidNewPet, made: ReadonlyMap<bigint, string> = new Map()): string => {
  const word = made.get(categoryId)
  const category = word === undefined ? String(categoryId) : `${shown(word)}, which is new`
  return `${shown(name)}, category ${category}, ${status ?? "without a status"}`
}

/** The names of categories, also of those that --create-categories would create, whose identifiers are not known yet. */
const namesWithNew = ({ createCategories }: ImportOptions, words: Words, categories: CategoryNames) => {
  const missing = createCategories ? missingIn(words.categories.keys(), categories) : []
  const made = new Map(missing.map((name, index) => [minInt64 + BigInt(index), name] as const))
  const idOfMade = new Map([...made].map(([id, name]) => [wordOf(name), id]))
  return { made, names: { get: (word: string) => categories.get(word) ?? idOfMade.get(word) } }
}

/** Checks new pets. */
const checkNew = (file: ImportFile, report: ImportReport, options: ImportOptions, words: Words, categories: CategoryNames) => {
  const { made, names } = namesWithNew(options, words, categories)
  const examples: Array<string> = []
  const take = (pet: ValidNewPet): void => {
    if (examples.length < exampleMaximum) examples.push(`${options.key === undefined ? "" : "new "}pet: ${petText(pet, made)}`)
  }
  const decoder = newPetRows(options, names, checkNewPet)
  const { key, ids } = options
  const changed = new Map<PetId, string>()
  const found =
    key === undefined || ids === undefined
      ? survey(file, report, decoder, options, take)
      : surveyKeyed(file, report, keyedRows(decoder, key), options, ids, (pet, kind, id) => {
          if (kind === "new") take(pet)
          else if (kind === "changed" && id !== undefined && changed.size < changeMaximum) changed.set(id, petText(pet, made))
        })
  return Effect.gen(function* () {
    yield* found
    const { keyed, kept } = report
    if (options.allOrNothing && report.rejected > 0) report.kept = 0
    const more = (keyed ? keyed.new + keyed.changed : kept) - examples.length - changed.size
    return { examples: [...examples, ...(yield* changesOf(changed))], more }
  })
}

/** Checks corrections, and compares them with the pets of the store. */
const checkUpdates = (file: ImportFile, report: ImportReport, options: ImportOptions, words: Words, categories: CategoryNames) =>
  Effect.gen(function* () {
    const { search } = yield* PetRepository
    const { made, names } = namesWithNew(options, words, categories)
    const examples: Array<string> = []
    let more = 0
    const compare = (rows: ReadonlyArray<Row<PetUpdate>>) =>
      Effect.gen(function* () {
        const id = [...new Set(rows.flatMap(({ value }) => (value === undefined ? [] : [value[0]])))]
        const found = id.length === 0 ? [] : (yield* search({ id, order: "asc", limit: searchMaximum })).pets
        const pets = new Map(found.map((pet) => [pet.id, pet]))
        const good = report.takeAll(rows)
        const given = good.map(({ value }) => value)
        const updates = options.forSpreadsheet ? yield* keepLineEnds(given) : given
        for (const [index, { row, value }] of good.entries()) {
          const [petId, correction] = updates[index] ?? value
          const pet = pets.get(petId)
          if (pet === undefined) {
            report.reject(row, new PetNotFound({ petId }).message)
            continue
          }
          report.kept += 1
          const [before, after] = [petText(pet), petText(correctedPet(pet, correction), made)]
          if (before === after) continue
          if (examples.length < changeMaximum) examples.push(`pet ${petId}: ${before} → ${after}`)
          else more += 1
        }
      })
    yield* readBatches(file, report, updateRows(options, names, checkUpdate), options).pipe(
      Stream.flatMap(Stream.fromIterable),
      Stream.grouped(searchMaximum),
      Stream.runForEach((rows) => compare([...rows])),
      Effect.mapError((failure) => new CommandFailed({ reason: explain(failure) })),
    )
    return { examples, more }
  })
