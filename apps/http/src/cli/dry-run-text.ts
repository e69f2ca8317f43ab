/** What `petstore import --dry-run` prints. */
import { shown } from "@petstore/pet-files"

/** How many words of a column are shown. */
const wordMaximum = 30

/** What a dry run prints beside the numbers of rows. */
export interface DryRun {
  /** Why the file cannot be read without the proposal. */
  readonly refused?: string
  readonly columns?: Readonly<Record<string, string>>
  readonly leftOut?: ReadonlyArray<string>
  readonly examples: ReadonlyArray<string>
  /** How many more animals or changes there are than examples. */
  readonly more: number
  readonly withoutName: number
  readonly unknownStatuses: Readonly<Record<string, number>>
  readonly unknownCategories: Readonly<Record<string, number>>
  /** The statuses that words have, given or proposed. */
  readonly meanings: Readonly<Record<string, string>>
  /** For which words the proposal has no status. */
  readonly unsure?: string
  /** The column that names each row, and what it is good for. */
  readonly keyAdvice?: string
  /** The command that reads the file as shown, if this one does not. */
  readonly proposal?: string
  /** This command with --key and --ids, if it needs nothing else. */
  readonly proposalWithKey?: string
}

const wordList = (words: Readonly<Record<string, number>>, textOf: (word: string) => string): string => {
  const all = Object.entries(words).toSorted(([, one], [, other]) => other - one)
  const list = all.slice(0, wordMaximum).map(([word, rows]) => `${textOf(word)} (${rows})`)
  return [...list, ...(all.length > wordMaximum ? [`and ${all.length - wordMaximum} more`] : [])].join(", ")
}

/** @param counts  the sentence with the numbers of rows */
export const dryRunText = (
  {
    refused,
    columns,
    leftOut,
    examples,
    more,
    withoutName,
    unknownStatuses,
    unknownCategories,
    meanings,
    unsure,
    keyAdvice,
    proposal,
    proposalWithKey,
  }: DryRun,
  counts: string,
): string =>
  [
    proposal === undefined
      ? "Dry run: nothing was stored."
      : `Dry run: nothing was stored. This file needs options. With those of the last line it is read as follows.`,
    refused && `Without them: ${refused}`,
    columns &&
      `columns: ${Object.entries(columns)
        .map(([member, name]) => `${member} from ${shown(name)}`)
        .join(", ")}`,
    leftOut && leftOut.length > 0 && `columns left out: ${leftOut.map(shown).join(", ")}`,
    ...examples,
    more > 0 && `and ${more} more`,
    withoutName > 0 && `rows without a name: ${withoutName}`,
    Object.keys(unknownStatuses).length > 0 &&
      `words for a status: ${wordList(unknownStatuses, (word) => `${shown(word)} → ${meanings[word] || "none"}`)}`,
    Object.keys(unknownCategories).length > 0 && `new categories: ${wordList(unknownCategories, shown)}`,
    counts,
    unsure,
    keyAdvice,
    (proposal ?? proposalWithKey) && `Try: ${proposal ?? proposalWithKey}`,
  ]
    .filter((line) => typeof line === "string" && line !== "")
    .join("\n")
