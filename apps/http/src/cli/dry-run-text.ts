/** What `petstore import --dry-run` prints. */
import { shown } from "@petstore/pet-files"

/** How many words of a column are shown. */
const wordMaximum = 30

/** What a dry run prints beside the numbers of rows. */
export interface DryRun {
  readonly columns?: Readonly<Record<string, string>>
  readonly leftOut?: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
  readonly withoutName: number
  readonly unknownStatuses: Readonly<Record<string, number>>
  readonly unknownCategories: Readonly<Record<string, number>>
  readonly proposal?: string
}

const wordList = (words: Readonly<Record<string, number>>): string => {
  const all = Object.entries(words).toSorted(([, one], [, other]) => other - one)
  const list = all.slice(0, wordMaximum).map(([word, rows]) => `${shown(word)} (${rows})`)
  return [...list, ...(all.length > wordMaximum ? [`and ${all.length - wordMaximum} more`] : [])].join(", ")
}

export const dryRunText = ({
  columns,
  leftOut,
  examples,
  withoutName,
  unknownStatuses,
  unknownCategories,
  proposal,
}: DryRun): string =>
  [
    columns &&
      `columns: ${Object.entries(columns)
        .map(([member, name]) => `${member} from ${shown(name)}`)
        .join(", ")}`,
    leftOut && leftOut.length > 0 && `columns left out: ${leftOut.map(shown).join(", ")}`,
    leftOut?.some((column) => /^\s*id\s*$/i.test(column)) &&
      "The store assigns identifiers. To import a later version of this file: --key id --ids FILE, which keeps which id became which animal.",
    ...examples,
    withoutName > 0 && `rows without a name: ${withoutName}`,
    Object.keys(unknownStatuses).length > 0 && `words that are not a status: ${wordList(unknownStatuses)}`,
    Object.keys(unknownCategories).length > 0 && `words that are not a category's name: ${wordList(unknownCategories)}`,
    proposal && `Try: ${proposal}`,
  ]
    .filter((line) => typeof line === "string")
    .map((line) => `${line}\n`)
    .join("")
