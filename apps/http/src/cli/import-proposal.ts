/** What helps with a file that is refused or has words without a meaning: the whole command, ready to be pasted. */
import {
  type CategoryNames,
  describedBy,
  type FileDescription,
  FileRefused,
  isSameColumn,
  type Layout,
  noWords,
  optionsOf,
  proposeWords,
  quoted,
  shown,
  type Words,
  wordsOfRows,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import { explain, type ImportFile, type ImportOptions, ImportReport, readBatches } from "./import-file.js"
import { idsFileOf, watchingKeys } from "./key-column.js"
import { CommandFailed } from "./program.js"

/** How a file can be read, as far as that can be guessed. */
export interface Proposal {
  /** The given description, and what was guessed. */
  readonly description: FileDescription
  /** Why the given description cannot be used. */
  readonly refused?: CommandFailed | FileRefused
  /** Whether the file can be read so. Otherwise a person has to decide, or it cannot be read at all. */
  readonly isComplete: boolean
  readonly words: Words
  readonly layout?: Layout
  /** The column that names each row, unless the options give one. */
  readonly key?: string
}

/** Whether --key may be added. */
const takesKey = ({ key, update, allOrNothing, afterLine }: ImportOptions) =>
  key === undefined && !update && !allOrNothing && afterLine === undefined

/** How many times a proposal may lead to another. */
const proposalMaximum = 5

/** Reads a file, which is possible twice, under the given description and under what each refusal proposes. */
export const proposalFor = (file: ImportFile, options: ImportOptions, categories: CategoryNames): Effect.Effect<Proposal> =>
  Effect.gen(function* () {
    let description: FileDescription = options
    let refused: CommandFailed | FileRefused | undefined
    for (let round = 0; ; round += 1) {
      const words = noWords()
      const { watched, key } = watchingKeys(wordsOfRows(description, requiredOf(options), words))
      const survey = new ImportReport("check", "animals")
      const rows = readBatches({ ...file, description }, survey, watched)
      const failure = yield* Effect.match(Stream.runDrain(rows), { onFailure: (next) => next, onSuccess: () => undefined })
      refused ??= failure
      if (failure === undefined) {
        const [layout, column] = [survey.layout(), takesKey(options) ? key() : undefined]
        return {
          description: describedBy(description, proposeWords(words, description, categories)),
          ...(refused && { refused }),
          isComplete: true,
          words,
          ...(layout && { layout }),
          ...(column !== undefined && { key: column }),
        }
      }
      const proposed = failure instanceof FileRefused ? failure.proposal : {}
      description = describedBy(description, proposed)
      if (!(failure instanceof FileRefused && failure.isEnough) || round === proposalMaximum) {
        return { description, ...(refused && { refused }), isComplete: false, words }
      }
    }
  })

/** Why nothing of a file was kept, and the options that would help, all at once. */
export const refusal = (file: ImportFile, options: ImportOptions, failure: CommandFailed | FileRefused) =>
  Effect.flatMap(
    file.size === undefined ? Effect.succeed(fromRefusal(options, failure)) : proposalFor(file, options, new Map()),
    (proposal) => new CommandFailed({ reason: refusalText(file, options, failure, proposal) }),
  )

/** What a file that can be read only once allows to propose. */
const fromRefusal = (options: ImportOptions, failure: CommandFailed | FileRefused): Proposal => ({
  description: describedBy(options, failure instanceof FileRefused ? failure.proposal : {}),
  isComplete: false,
  words: noWords(),
})

export const refusalText = (
  file: ImportFile,
  options: ImportOptions,
  failure: CommandFailed | FileRefused,
  { description, key }: Proposal,
): string => {
  const reason = `${explain(failure)} Nothing was kept.`
  if (!(failure instanceof FileRefused) || Object.keys(failure.proposal).length === 0) return reason
  const advice = [
    unsureOf(description),
    key && keyAdvice(key),
    description.columns?.categoryId === "HEADER" && "Replace HEADER by the column that has the category, such as Dog.",
    `Try: ${commandWith(file, options, description, key)}`,
  ]
  return [reason, ...advice.filter((line) => typeof line === "string")].join("\n")
}

/** Says for which words of a proposal a person has to choose a status. */
export const unsureOf = ({ statuses = {} }: FileDescription, given: FileDescription["statuses"] = {}): string | undefined => {
  const unsure = Object.keys(statuses).filter((word) => statuses[word] === "" && given[word] === undefined)
  if (unsure.length === 0) return undefined
  return `Not sure: ${unsure.map(shown).join(", ")} would be kept without a status. To choose one, write it after the = in --statuses.`
}

/** Says what a column that names each row is good for. */
export const keyAdvice = (key: string): string =>
  `With --key and --ids, the same command goes on after an interruption, and a later list with the same --ids file adds what is new and corrects what changed, by ${shown(key)}. Leave both out if you need neither.`

/** @param found  the column that names each row, if the options have none */
export const commandWith = (
  { path }: ImportFile,
  { update, key, ids, allOrNothing, format, rejected }: ImportOptions,
  description: FileDescription,
  found?: string,
): string => {
  const column = key ?? found
  return [
    "petstore import",
    update && "--update",
    quoted(path),
    format && `--format ${format}`,
    allOrNothing && "--all-or-nothing",
    rejected !== undefined && `--rejected ${quoted(rejected)}`,
    column !== undefined && `--key ${quoted(column)} --ids ${quoted(ids ?? idsFileOf(path))}`,
    optionsOf(description),
  ]
    .filter((part) => typeof part === "string" && part !== "")
    .join(" ")
}

/** Checks the name that `--key` gives before anything is kept. */
export const checkKeyColumn = ({ path }: ImportFile, layout: Layout | undefined, { key }: ImportOptions) => {
  if (key === undefined || layout === undefined || layout.names.some((name) => isSameColumn(name, key))) return Effect.void
  const names = layout.names.map(shown).join(", ").slice(0, 500)
  return new CommandFailed({ reason: `${path} has no column ${shown(key)} for --key; it has ${names}. Nothing was kept.` })
}

/** The member that names a row: the identifier of a correction, or what a new pet needs. */
export const requiredOf = ({ update }: ImportOptions) => (update ? (["id"] as const) : (["name", "categoryId"] as const))
