/** Pets in a file: what its columns and words mean for a pet, under a description. */
import {
  encodePet,
  type FieldProblem,
  isPetStatus,
  type Pet,
  type PetId,
  petStatuses,
  type ValidNewPet,
  type ValidPetCorrection,
} from "@petstore/core"
import { foldedName, int64OfText } from "@petstore/core/internal"
import { encodeCsvCell, encodeCsvRecord } from "./csv.js"
import { type FileDescription, type PetMember, petMembers } from "./description.js"
import type { Decode, Decoded, RowDecoder } from "./row.js"
import { guessedStatus } from "./status-words.js"

export type PetUpdate = readonly [petId: PetId, correction: ValidPetCorrection]

/** The identifiers of categories, keyed by {@link wordOf} their names. */
export type CategoryNames = Pick<ReadonlyMap<string, bigint | "several">, "get">

/** Removes differences between two spellings of a word: its case and the spaces around it. */
export const wordOf = (text: string): string => text.trim().normalize("NFC").toLowerCase()

/** The identifiers of categories by their names. */
export const categoryNamesOf = (
  categories: Iterable<{ readonly id: bigint; readonly name: string }>,
): Map<string, bigint | "several"> => {
  const names = new Map<string, bigint | "several">()
  for (const { id, name } of categories) names.set(wordOf(name), names.has(wordOf(name)) ? "several" : id)
  return names
}

/** The words of a file, with the number of their rows, and how many rows have no name. */
export interface Words {
  readonly statuses: Map<string, number>
  readonly categories: Map<string, number>
  unnamed: number
  /** The first identifiers of a file whose columns are those of our export. */
  readonly exportedIds: Array<bigint>
}

export const noWords = (): Words => ({ statuses: new Map(), categories: new Map(), unnamed: 0, exportedIds: [] })

/** How many different words are counted. */
const wordMaximum = 10_000

const count = (words: Map<string, number>, word: string): void => {
  if (words.has(word) || words.size < wordMaximum) words.set(word, (words.get(word) ?? 0) + 1)
}

/** The members of a row as the file has them. */
export type Members = { [Member in PetMember]?: unknown }

/** Translates the words of a row into the values of a pet. What has no translation stays, and the rules reject it. */
const translator = (description: FileDescription, categories: CategoryNames, words?: Words) => {
  const { default: defaults = {}, statuses = {}, forSpreadsheet = false } = description
  const statusOf = new Map(
    [...petStatuses.map((status) => [status, status] as const), ...Object.entries(statuses)].map(([word, status]) => [
      wordOf(word),
      status,
    ]),
  )
  const isBlank = (value: unknown): boolean =>
    value === undefined || value === null || (typeof value === "string" && value.trim() === "")
  const given = (value: unknown, member: PetMember): unknown => {
    if (isBlank(value)) return defaults[member] ?? value
    return forSpreadsheet && typeof value === "string" && value.startsWith("'") ? value.slice(1) : value
  }
  const status = (value: unknown): unknown => {
    if (typeof value !== "string" || isPetStatus(value)) return value
    if (isBlank(value)) return ""
    const known = statusOf.get(wordOf(value))
    if (known === undefined && words !== undefined) count(words.statuses, value.trim())
    return known ?? value
  }
  const category = (value: unknown): unknown => {
    if (typeof value !== "string" || isBlank(value)) return value
    if (int64OfText(value) !== undefined) return value
    if (words !== undefined) count(words.categories, value.trim())
    const named = categories.get(wordOf(value))
    return typeof named === "bigint" ? named : value
  }
  const defaultCategory = defaults.categoryId === undefined ? undefined : int64OrText(defaults.categoryId)
  return (members: Members): Members => {
    const name = given(members.name, "name")
    if (words !== undefined && isBlank(name)) words.unnamed += 1
    return {
      id: members.id,
      name,
      categoryId: isBlank(members.categoryId) ? category(defaultCategory) : category(given(members.categoryId, "categoryId")),
      status: status(given(members.status, "status")),
    }
  }
}

/** Says that a category may be a name. */
const namingCategories = (
  problems: ReadonlyArray<FieldProblem>,
  { categoryId }: Members,
  categories: CategoryNames,
): ReadonlyArray<FieldProblem> => {
  if (typeof categoryId !== "string" || categoryId.trim() === "") return problems
  const expected =
    categories.get(wordOf(categoryId)) === "several"
      ? "expected the identifier, because several categories have this name"
      : "expected an integer, or the name of a category (--create-categories creates it)"
  return problems.map((problem) => (problem.field === "categoryId" ? { ...problem, expected } : problem))
}

/** Whether a member is an integer, which a cell has as text. Text in JSON stays text, as in a request. */
const isInteger = (member: PetMember): boolean => member === "id" || member === "categoryId"

/** Text that is not a 64-bit integer stays text: the name of a category, or a value that the rules reject. */
const int64OrText = (text: string): bigint | string => int64OfText(text.trim()) ?? text

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** Reads the members of a row from its cells or from a JSON object. */
const decoderOf = <A>(
  { columns = {}, skip = [], default: defaults = {} }: FileDescription,
  required: ReadonlyArray<PetMember>,
  decode: Decode<Members, A>,
): RowDecoder<A> => {
  const members = petMembers.filter((member) => member !== "id" || required.includes("id"))
  const isRequired = (member: PetMember) => required.includes(member) && defaults[member] === undefined
  const skipped = new Set(skip.map(foldedName))
  const isAsIs = Object.keys(columns).length === 0 && skip.length === 0
  return {
    columns: { required: members.filter(isRequired), optional: members.filter((member) => !isRequired(member)) },
    fromCells: ({ columnOf }) => {
      const places = members.map((member) => [member, columnOf[member] ?? -1] as const).filter(([, column]) => column !== -1)
      return (cells) => {
        const row: Members = {}
        for (const [member, column] of places) row[member] = isInteger(member) ? int64OrText(cells[column] ?? "") : cells[column]
        return decode(row)
      }
    },
    fromJson: (json) => {
      // Safe: the decoders check what they get.
      if (isAsIs || !isRecord(json)) return decode(json as Members)
      const row = Object.fromEntries(Object.entries(json).filter(([name]) => !skipped.has(foldedName(name))))
      for (const [member, column] of Object.entries(columns)) row[member] = json[column]
      return decode(row)
    },
  }
}

/** Reads new pets. An empty status counts as absent. `check` applies the rules of `POST /pets`. */
export const newPetRows = (
  description: FileDescription,
  categories: CategoryNames,
  check: Decode<Members, ValidNewPet>,
): RowDecoder<ValidNewPet> => {
  const translate = translator(description, categories)
  return decoderOf(description, ["name", "categoryId"], (members) => {
    const { name, categoryId, status } = isRecord(members) ? translate(members) : members
    const isSame =
      !isRecord(members) ||
      (name === members.name && categoryId === members.categoryId && (status ?? "") !== "" && status === members.status)
    const pet = isSame ? members : { ...members, name, categoryId, status: status === "" ? undefined : status }
    return named(check(isSame || pet.status !== undefined ? pet : withoutStatus(pet)), members, categories)
  })
}

const withoutStatus = ({ status: _, ...pet }: Members): Members => pet

const named = <A>(decoded: Decoded<A>, members: Members, categories: CategoryNames): Decoded<A> =>
  decoded.problems === undefined ? decoded : { problems: namingCategories(decoded.problems, members, categories) }

/** Reads corrections. A member without a column keeps its value; an empty status removes it. `check` applies the rules of `PATCH /pets/{petId}`. */
export const updateRows = (
  description: FileDescription,
  categories: CategoryNames,
  check: Decode<Members, PetUpdate>,
): RowDecoder<PetUpdate> => {
  const translate = translator(description, categories)
  return decoderOf(description, ["id"], (members) => {
    if (!isRecord(members)) return check(members)
    const pet = translate(members)
    const status = pet.status === "" ? null : pet.status
    const given = Object.entries({ ...members, ...pet, status }).filter(([, value]) => value !== undefined)
    return named(check(Object.fromEntries(given)), members, categories)
  })
}

/** How many identifiers of an export are kept. */
const exportedMaximum = 100

/** Accepts every row, and counts its words or, with `isBrief`, only those of the first rows. */
export const wordsOfRows = (
  description: FileDescription,
  required: ReadonlyArray<PetMember>,
  words: Words,
  isBrief = false,
): RowDecoder<undefined> => {
  let rows = 0
  const translate = translator(description, new Map(), words)
  const decoder = decoderOf(description, required, (members) => {
    rows += 1
    if (isRecord(members)) translate(members)
    return { value: undefined }
  })
  const note = (id: unknown): void => {
    if (words.exportedIds.length >= exportedMaximum) return
    const exact = typeof id === "string" ? int64OfText(id) : id
    if (typeof exact === "bigint") words.exportedIds.push(exact)
    else if (Number.isSafeInteger(exact)) words.exportedIds.push(BigInt(Number(exact)))
  }
  const isExported = (names: ReadonlyArray<string>) =>
    petMembers.slice(0, names.length).join() === names.join() && names.length >= 3
  return {
    columns: decoder.columns,
    isDone: () => isBrief && rows > exportedMaximum,
    fromCells: (layout) => {
      const decode = decoder.fromCells(layout)
      if (!isExported(layout.names)) return decode
      return (cells) => {
        note(cells[0])
        return decode(cells)
      }
    },
    fromJson: (json) => {
      if (isRecord(json) && isExported(Object.keys(json))) note(json["id"])
      return decoder.fromJson(json)
    },
  }
}

/** How many different words a column of statuses has at most. */
const statusWordMaximum = 30

/** The part of a description that gives the counted words a meaning. A word that is not known means no status. */
export const proposeWords = (words: Words, description: FileDescription, categories: CategoryNames): FileDescription => {
  const { columns = {}, skip = [] } = description
  const unknown = [...words.statuses.keys()]
  const isStatus = unknown.length <= statusWordMaximum
  const statuses = Object.fromEntries(unknown.map((word) => [word, guessedStatus(word) ?? ""] as const))
  const isMissing = [...words.categories.keys()].some((word) => typeof categories.get(wordOf(word)) !== "bigint")
  return {
    ...(words.unnamed > 0 && { default: { name: "(no name)" } }),
    ...(unknown.length > 0 && (isStatus ? { statuses } : { skip: [...skip, columns.status ?? "status"] })),
    ...(isMissing && !description.createCategories && { createCategories: true }),
  }
}

/** A name that no spreadsheet takes for a formula, a number, a date or a truth value. */
const isPlainText = /^(?!(?:true|false)$)\p{L}\P{Nd}*$/iu

export const petFileEncoders = (delimiter = ",", forSpreadsheet = false) => {
  const cell = (text: string) => encodeCsvCell(forSpreadsheet && !isPlainText.test(text) ? `'${text}` : text, delimiter)
  return {
    ndjson: { start: "", encode: (pet: Pet) => `${encodePet(pet)}\n` },
    csv: {
      start: (forSpreadsheet ? "\uFEFF" : "") + encodeCsvRecord(petMembers, delimiter),
      encode: ({ id, name, categoryId, status }: Pet) =>
        `${id}${delimiter}${cell(name)}${delimiter}${categoryId}${delimiter}${status ?? ""}\n`,
    },
  }
}
