/** What `petstore import --dry-run` prints. */
import { quoted, shown } from "@petstore/pet-files"

/** How many words of a column are shown. */
const wordMaximum = 30

/** What a dry run prints beside the numbers of rows. */
export interface DryRun {
  readonly columns?: Readonly<Record<string, string>>
  readonly leftOut?: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
  /** With --key: how many animals are new, how many rows changed since they were imported, and how many did not. */
  readonly keyed?: { readonly new: number; readonly changed: number; readonly unchanged: number }
  readonly withoutName: number
  readonly unknownStatuses: Readonly<Record<string, number>>
  readonly unknownCategories: Readonly<Record<string, number>>
  /** For which words the proposal has no status. */
  readonly unsure?: string
  readonly proposal?: string
}

const wordList = (words: Readonly<Record<string, number>>): string => {
  const all = Object.entries(words).toSorted(([, one], [, other]) => other - one)
  const list = all.slice(0, wordMaximum).map(([word, rows]) => `${shown(word)} (${rows})`)
  return [...list, ...(all.length > wordMaximum ? [`and ${all.length - wordMaximum} more`] : [])].join(", ")
}

/** Says how a file whose columns look as if one had keys can be imported again. */
export const keyHint = (columns: ReadonlyArray<string>): string | undefined => {
  const key = columns.find((column) => /(?:^|[\s_-])(?:id|sku|no\.?|number|code|ref|tag)\s*$/i.test(column))?.trim()
  if (key === undefined) return undefined
  return `The store assigns identifiers. If you will import later versions of this file, add --key ${quoted(key)} --ids FILE to this first import already: FILE keeps which ${shown(key)} became which animal.`
}

export const dryRunText = ({
  columns,
  leftOut,
  examples,
  keyed,
  withoutName,
  unknownStatuses,
  unknownCategories,
  unsure,
  proposal,
}: DryRun): string => {
  const key = keyed === undefined ? keyHint(leftOut ?? []) : undefined
  return [
    columns &&
      `columns: ${Object.entries(columns)
        .map(([member, name]) => `${member} from ${shown(name)}`)
        .join(", ")}`,
    leftOut && leftOut.length > 0 && `columns left out: ${leftOut.map(shown).join(", ")}`,
    key,
    ...examples,
    keyed &&
      `${keyed.new} new, ${keyed.changed} changed, ${keyed.unchanged} unchanged since the import that wrote the file of identifiers`,
    withoutName > 0 && `rows without a name: ${withoutName}`,
    Object.keys(unknownStatuses).length > 0 && `words that are not a status: ${wordList(unknownStatuses)}`,
    Object.keys(unknownCategories).length > 0 && `words that are not a category's name: ${wordList(unknownCategories)}`,
    unsure,
    proposal && `Try: ${proposal}`,
  ]
    .filter((line) => typeof line === "string")
    .map((line) => `${line}\n`)
    .join("")
}
