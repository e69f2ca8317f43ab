/** A delivery of animals: rows pasted from a sheet, or a CSV file, with the checks of `petstore import`. */
import type { Category, NewPet, Pet } from "@petstore/client"
import { categoryNamesOf, type FileDescription, FileRefused, readDelivery } from "@petstore/pet-files/page"
import { categoryNamed } from "./pet-fields.tsx"
import type { Session } from "./state.ts"
import { statusChoices } from "./status.ts"
import { createOnce } from "./until-known.ts"

/** The maximum number of rows on the page. Longer files are for the command. */
const mostRows = 500

export interface DeliveryRow {
  readonly line: number
  readonly pet: NewPet | undefined
  /** Whether the row says nothing about the status. */
  readonly hasNoStatus: boolean
  /** Why the row cannot be added, or `""`. */
  readonly problem: string
}

/** A delivery as it would be added. */
export interface Read {
  readonly rows: ReadonlyArray<DeliveryRow>
  /** The names of the columns, and the chosen column of each member. */
  readonly columns: ReadonlyArray<string>
  /** Whether the first row has the titles of the columns. */
  readonly hasTitles: boolean
  readonly chosen: Readonly<Record<"name" | "categoryId" | "status", string>>
  /** The words for a status whose meaning the page does not know, with its guess. */
  readonly statuses: ReadonlyArray<readonly [word: string, meaning: string]>
  /** The categories that do not exist yet, with numbers that stand for them in `rows`. */
  readonly newCategories: ReadonlyArray<Category>
  /** Why nothing can be read, or `""`. */
  readonly refusal: string
}

/** The number that stands for a category that does not exist yet: one of the smallest, which no person chooses. */
const placeholder = (index: number): bigint => -(2n ** 63n) + BigInt(index)

/** A word in the other grammatical number, in English: a sheet says Dog where the store says Dogs. */
const numbersOf = (word: string): ReadonlyArray<string> => [
  `${word}s`,
  `${word}es`,
  word.replace(/s$/, ""),
  word.replace(/es$/, ""),
]

const nothing = { rows: [], statuses: [], newCategories: [] }

export const readRowsOf = (bytes: Uint8Array, given: FileDescription, categories: ReadonlyArray<Category>): Read => {
  try {
    const { words, proposal } = readDelivery(bytes, given, categoryNamesOf(categories))
    const names = categoryNamesOf(categories)
    const newCategories: Array<Category> = []
    for (const name of words.categories.keys()) {
      const id = placeholder(newCategories.length)
      const [key = ""] = categoryNamesOf([{ id, name }]).keys()
      if (names.has(key)) continue
      const near = numbersOf(key).find((other) => names.has(other))
      names.set(key, (near === undefined ? undefined : names.get(near)) ?? id)
      if (near === undefined) newCategories.push({ id, name })
    }
    const meanings = { ...proposal.statuses, ...given.statuses }
    // A word that the person has not looked at has the proposed meaning.
    const meant = { ...given, statuses: meanings }
    // The page's own words need no question.
    const own = new Set(statusChoices.map(([, word]) => word))
    // An answer does not move the questions.
    const statuses = Object.entries(meanings)
      .filter(([word]) => !own.has(word.toLowerCase()))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
    const { rows, layout } = readDelivery(bytes, meant, names)
    const chosen = (member: string): string => layout.names[layout.columnOf[member] ?? -1] ?? ""
    // The sentences of the rules name the members of the API.
    type SourceRow = (typeof rows)[number]
    const isEmpty = ({ source }: SourceRow, member: string): boolean =>
      typeof source !== "string" && (source[layout.columnOf[member] ?? -1] ?? "").trim() === ""
    const problemOf = (row: SourceRow): string => {
      if (row.problem === undefined) return ""
      if (isEmpty(row, "name")) return `Row ${row.line} has no name.`
      return isEmpty(row, "categoryId") ? `Row ${row.line} has no category.` : row.problem
    }
    return {
      rows: rows.map((row) => ({
        line: row.line,
        pet: row.value && { ...row.value, name: row.value.name.trim() },
        hasNoStatus: isEmpty(row, "status"),
        problem: problemOf(row),
      })),
      columns: layout.names,
      hasTitles: layout.headerLine !== undefined,
      chosen: { name: chosen("name"), categoryId: chosen("categoryId"), status: chosen("status") },
      statuses,
      newCategories,
      refusal: rows.length > mostRows ? `This page takes ${mostRows} rows. For more, use the command petstore import.` : "",
    }
  } catch (thrown) {
    if (!(thrown instanceof FileRefused)) throw thrown
    const { name = "", categoryId = "", status = "" } = given.columns ?? {}
    // The message names the members of the API.
    const refusal = thrown.columns.length === 0 ? thrown.message : "Choose the columns of the names and of the categories."
    return {
      ...nothing,
      columns: thrown.columns,
      hasTitles: given.header !== false,
      chosen: { name, categoryId, status },
      refusal,
    }
  }
}

/** Names the new categories, and adds the pets one by one. Calls `isAdded` with each and its line. */
export const addDelivery = async (
  session: Session,
  { rows, newCategories }: Pick<Read, "rows" | "newCategories">,
  headers: Readonly<Record<string, string>>,
  isAdded: (line: number, pet: Pet) => void,
  isUnknown: () => void,
): Promise<void> => {
  const { petstore, signal } = session
  const numbers = new Map<bigint, bigint>()
  for (const { id, name } of newCategories) {
    if (rows.some(({ pet }) => pet?.categoryId === id)) numbers.set(id, await categoryNamed(session, name))
  }
  for (const { pet, line } of rows) {
    if (pet === undefined) continue
    const given = { ...pet, categoryId: numbers.get(pet.categoryId) ?? pet.categoryId }
    const { value } = await createOnce((options) => petstore.createPet(given, { ...options, headers }), isUnknown, signal)
    isAdded(line, value)
  }
}
