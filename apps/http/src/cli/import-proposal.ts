/** What helps with a file that is refused or has words without a meaning: the whole command, ready to be pasted. */
import {
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
  wordsOfRows,
} from "@petstore/pet-files"
import { Effect, Stream } from "effect"
import { keyHint } from "./dry-run-text.js"
import { explain, type ImportFile, type ImportOptions, ImportReport, readBatches } from "./import-file.js"
import { CommandFailed } from "./program.js"

/** Why nothing of a file was kept, and the options that would help, all at once. */
export const refusal = (file: ImportFile, options: ImportOptions, failure: CommandFailed | FileRefused) =>
  Effect.flatMap(proposalFor(file, options, failure), (proposal) => {
    const unsure = proposal === undefined ? undefined : unsureOf(proposal)
    const advice = proposal === undefined ? "" : ` ${unsure ? `${unsure} ` : ""}Try: ${commandWith(file, options, proposal)}`
    const used = Object.values(proposal?.columns ?? {})
    const left = failure instanceof FileRefused ? failure.columns.filter((name) => !used.includes(name.trim())) : []
    const hint = options.key === undefined && !options.update && proposal !== undefined ? keyHint(left) : undefined
    return new CommandFailed({ reason: `${explain(failure)} Nothing was kept.${hint ? ` ${hint}` : ""}${advice}` })
  })

/** Says for which words of a proposal a person has to choose a status. */
export const unsureOf = ({ statuses = {} }: FileDescription): string | undefined => {
  const unsure = Object.keys(statuses).filter((word) => statuses[word] === "")
  if (unsure.length === 0) return undefined
  return `Not sure: ${unsure.map(shown).join(", ")} would be kept without a status; correct --statuses.`
}

export const commandWith = ({ path }: ImportFile, { update, key, ids }: ImportOptions, description: FileDescription): string => {
  const keyed = key === undefined || ids === undefined ? "" : `--key ${quoted(key)} --ids ${quoted(ids)} `
  return `petstore import ${update ? "--update " : ""}${quoted(path)} ${keyed}${optionsOf(description)}`
}

/** Checks the name that `--key` gives before anything is kept. */
export const checkKeyColumn = ({ path }: ImportFile, layout: Layout | undefined, { key }: ImportOptions) => {
  if (key === undefined || layout === undefined || layout.names.some((name) => isSameColumn(name, key))) return Effect.void
  const names = layout.names.map(shown).join(", ").slice(0, 500)
  return new CommandFailed({ reason: `${path} has no column ${shown(key)} for --key; it has ${names}. Nothing was kept.` })
}

/** How many times a proposal may lead to another. */
const proposalMaximum = 5

/** The description under which a file would be read, with a meaning for each of its words, or `undefined`. */
const proposalFor = (
  file: ImportFile,
  options: ImportOptions,
  failure: CommandFailed | FileRefused,
): Effect.Effect<FileDescription | undefined> =>
  Effect.gen(function* () {
    let refused: CommandFailed | FileRefused | undefined = failure
    let description: FileDescription = options
    for (let round = 0; round < proposalMaximum && refused !== undefined; round += 1) {
      if (!(refused instanceof FileRefused) || Object.keys(refused.proposal).length === 0) return undefined
      description = describedBy(description, refused.proposal)
      if (file.size === undefined || !refused.isEnough) return description
      const words = noWords()
      const rows = readBatches(
        { ...file, description },
        new ImportReport("check", "animals"),
        wordsOfRows(description, requiredOf(options), words),
      )
      refused = yield* Effect.match(Stream.runDrain(rows), { onFailure: (next) => next, onSuccess: () => undefined })
      if (refused === undefined) description = describedBy(description, proposeWords(words, description, new Map()))
    }
    return description
  })

/** The member that names a row: the identifier of a correction, or what a new pet needs. */
export const requiredOf = ({ update }: ImportOptions) => (update ? (["id"] as const) : (["name", "categoryId"] as const))
