/** How to read a file of pets: a value, which the command makes of its options and a page of its form. */
import type { PetStatus } from "@petstore/core"

/** The members of a pet that a column can hold. */
export const petMembers = ["id", "name", "categoryId", "status"] as const
export type PetMember = (typeof petMembers)[number]

export interface FileDescription {
  /** A label of the Encoding standard. If absent, UTF-8, or UTF-16 with a byte order mark. */
  readonly encoding?: string
  /** If absent, the comma, semicolon, tab or bar that fits. */
  readonly delimiter?: string
  /** Whether the first record names the columns. */
  readonly header?: boolean
  /** The columns of members that are named differently. Without a header, columns are named by their number, from 1. */
  readonly columns?: Partial<Readonly<Record<PetMember, string>>>
  /** Columns that are left out although a member has their name. */
  readonly skip?: ReadonlyArray<string>
  /** What an empty cell or an absent column means. */
  readonly default?: Partial<Readonly<Record<PetMember, string>>>
  /** Words for statuses. An empty text means no status. */
  readonly statuses?: Readonly<Record<string, PetStatus | "">>
  /** Whether categories that no category is named after are created. */
  readonly createCategories?: true
  /** Whether an apostrophe at the start of a cell was put there for a spreadsheet. */
  readonly forSpreadsheet?: true
}

/** Adds the members of `more`. */
export const describedBy = (description: FileDescription, more: FileDescription): FileDescription => ({
  ...description,
  ...more,
  ...(more.columns && { columns: { ...description.columns, ...more.columns } }),
  ...(more.default && { default: { ...description.default, ...more.default } }),
  ...(more.statuses && { statuses: { ...description.statuses, ...more.statuses } }),
})
