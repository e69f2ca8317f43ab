/** Pets in a file: what its columns and words mean for a pet, under a description. */
import { Schema } from "@effect/schema"
import {
  decodeBody,
  decodeNewPet,
  decodePetCorrection,
  encodePet,
  Int64,
  InvalidBody,
  int64FromText,
  isPetStatus,
  type Pet,
  type PetId,
  type PetStatus,
  petStatuses,
  type ValidNewPet,
  type ValidPetCorrection,
} from "@petstore/core"
import { foldedName } from "@petstore/core/internal"
import { Either, Option } from "effect"
import { encodeCsvCell, encodeCsvRecord } from "./csv.js"
import { type FileDescription, type PetMember, petMembers } from "./description.js"
import type { RowDecoder } from "./rows.js"

export type PetUpdate = readonly [petId: PetId, correction: ValidPetCorrection]

/** The identifiers of categories, keyed by {@link wordOf} their names. */
export type CategoryNames = Pick<ReadonlyMap<string, bigint | "several">, "get">

/** Removes differences between two spellings of a word: its case and the spaces around it. */
export const wordOf = (text: string): string => text.trim().normalize("NFC").toLowerCase()

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
type Members = { [Member in PetMember]?: unknown }

/** Translates the words of a row into the values of a pet. What has no translation stays, and the rules reject it. */
const translator = (description: FileDescription, categories: CategoryNames, words: Words | undefined) => {
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
    if (Option.isSome(int64FromText(value))) return value
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
const namingCategories = ({ problems }: InvalidBody, { categoryId }: Members, categories: CategoryNames): InvalidBody => {
  if (typeof categoryId !== "string" || categoryId.trim() === "") return new InvalidBody({ problems })
  const expected =
    categories.get(wordOf(categoryId)) === "several"
      ? "expected the identifier, because several categories have this name"
      : "expected an integer, or the name of a category (--create-categories creates it)"
  return new InvalidBody({
    problems: problems.map((problem) => (problem.field === "categoryId" ? { ...problem, expected } : problem)),
  })
}

/** Whether a member is an integer, which a cell has as text. Text in JSON stays text, as in a request. */
const isInteger = (member: PetMember): boolean => member === "id" || member === "categoryId"

/** Text that is not a 64-bit integer stays text: the name of a category, or a value that the rules reject. */
const int64OrText = (text: string): bigint | string => Option.getOrElse(int64FromText(text.trim()), () => text)

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** Reads the members of a row from its cells or from a JSON object. */
const decoderOf = <A>(
  { columns = {}, skip = [], default: defaults = {} }: FileDescription,
  required: ReadonlyArray<PetMember>,
  decode: (members: Members) => Either.Either<A, InvalidBody>,
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

/** Reads new pets, each under the rules of `POST /pets`. An empty status counts as absent. */
export const newPetRows = (description: FileDescription, categories: CategoryNames, words?: Words): RowDecoder<ValidNewPet> => {
  const translate = translator(description, categories, words)
  return decoderOf(description, ["name", "categoryId"], (members) => {
    const { name, categoryId, status } = isRecord(members) ? translate(members) : members
    const isSame =
      !isRecord(members) ||
      (name === members.name && categoryId === members.categoryId && (status ?? "") !== "" && status === members.status)
    const pet = isSame ? members : { ...members, name, categoryId, status: status === "" ? undefined : status }
    const decoded = decodeNewPet(isSame || pet.status !== undefined ? pet : withoutStatus(pet))
    return Either.isRight(decoded) ? decoded : Either.left(namingCategories(decoded.left, members, categories))
  })
}

const withoutStatus = ({ status: _, ...pet }: Members): Members => pet

const decodeId = decodeBody(Schema.Struct({ id: Int64 }))

const decodeUpdate = (json: unknown): Either.Either<PetUpdate, InvalidBody> => {
  const [id, correction] = [decodeId(json), decodePetCorrection(json)]
  if (Either.isRight(id)) return Either.map(correction, (given): PetUpdate => [id.right.id, given])
  const others = Either.isLeft(correction) ? correction.left.problems : []
  const known = new Set(id.left.problems.map(({ field }) => field))
  return Either.left(new InvalidBody({ problems: [...id.left.problems, ...others.filter(({ field }) => !known.has(field))] }))
}

/** Reads corrections, each under the rules of `PATCH /pets/{petId}`. A member without a column keeps its value; an empty status removes it. */
export const updateRows = (description: FileDescription, categories: CategoryNames, words?: Words): RowDecoder<PetUpdate> => {
  const translate = translator(description, categories, words)
  return decoderOf(description, ["id"], (members) => {
    if (!isRecord(members)) return decodeUpdate(members)
    const pet = translate(members)
    const status = pet.status === "" ? null : pet.status
    const given = Object.entries({ ...members, ...pet, status }).filter(([, value]) => value !== undefined)
    const decoded = decodeUpdate(Object.fromEntries(given))
    return Either.isRight(decoded) ? decoded : Either.left(namingCategories(decoded.left, members, categories))
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
    return Either.right(undefined)
  })
  const note = (id: unknown): void => {
    if (words.exportedIds.length >= exportedMaximum) return
    const exact = typeof id === "string" ? Option.getOrUndefined(int64FromText(id)) : id
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

/** Words for statuses that shelters and shops use. */
const knownStatuses: Readonly<Record<PetStatus, RegExp>> = {
  available:
    /^(adoptable|in ?stock|yes|active|ready|open|disponible|dostępn\w*|verfügbar|zu vermitteln|do adopcji|en adopci[oó]n|for adoption|found|new)$/i,
  pending:
    /^(on hold|hold|held|reserved|reserved? \w+|reserviert|reservad[oa]|zarezerwowan\w*|in process|adoption pending|foster\w*|quarantine|intake|draft)$/i,
  sold: /^(adopted|adoption|adoptad[oa]|adoptowan\w*|vermittelt|rehomed|sold out|out of stock|vendid[oa]|sprzedan\w*|verkauft|no|return(ed)? to owner|rto-adopt|transfer(red)?|placed|archived|inactive)$/i,
}

/** How many different words a column of statuses has at most. */
const statusWordMaximum = 30

/** The part of a description that gives the counted words a meaning. A word that is not known means no status. */
export const proposeWords = (words: Words, description: FileDescription, categories: CategoryNames): FileDescription => {
  const { columns = {}, skip = [] } = description
  const unknown = [...words.statuses.keys()]
  const isStatus = unknown.length <= statusWordMaximum
  const statuses = Object.fromEntries(
    unknown.map(
      (word) => [word, petStatuses.find((status) => knownStatuses[status].test(word.replaceAll(/[-_ ]+/g, " "))) ?? ""] as const,
    ),
  )
  const isMissing = [...words.categories.keys()].some((word) => typeof categories.get(wordOf(word)) !== "bigint")
  return {
    ...(words.unnamed > 0 && { default: { name: "(no name)" } }),
    ...(unknown.length > 0 && (isStatus ? { statuses } : { skip: [...skip, columns.status ?? "status"] })),
    ...(isMissing && { createCategories: true }),
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
