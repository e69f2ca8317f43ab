/** Pets in a file: one JSON object on each line, or CSV under a header line. */
import { extname } from "node:path"
import { Schema } from "@effect/schema"
import {
  decodeBody,
  decodeNewPet,
  decodePetCorrection,
  encodePet,
  Int64,
  InvalidBody,
  int64FromText,
  type Pet,
  type PetId,
  type ValidNewPet,
  type ValidPetCorrection,
} from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { InvalidArgumentError } from "commander"
import { Effect, Either, Option } from "effect"
import { WrongUsage } from "../program.js"
import { csvParser, encodeCsvCell, encodeCsvRecord } from "./csv.js"
import { type DecoderUnder, type Header, headerRefused, type ReadRows, readCsvRows, readJsonRows } from "./rows.js"

export const petFileFormats = ["ndjson", "csv"] as const
export type PetFileFormat = (typeof petFileFormats)[number]

const formatsByExtension: Readonly<Record<string, PetFileFormat>> = { ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv" }

/** The format that the options name or, by default, the format that the file's name ends in. */
export const petFileFormatOf = (file: string, given: PetFileFormat | undefined): Effect.Effect<PetFileFormat, WrongUsage> => {
  const format = given ?? formatsByExtension[extname(file).toLowerCase()]
  if (format !== undefined) return Effect.succeed(format)
  return new WrongUsage({ reason: `${file} does not end in .ndjson, .jsonl or .csv: pass --format.` })
}

/** The members of a pet that a CSV column can hold. */
const petMembers = ["id", "name", "categoryId", "status"] as const
type PetMember = (typeof petMembers)[number]

/** The CSV dialect: the delimiter between cells, and the headers of columns that are not named after their member. */
export interface CsvOptions {
  /** A comma if absent. */
  readonly delimiter?: string
  readonly columns?: Partial<Readonly<Record<PetMember, string>>>
}

type NamedColumns = NonNullable<CsvOptions["columns"]>

/** Decodes the `--columns` option, a CSV record: `name=Name,categoryId=Kategorie`. If invalid, throws `InvalidArgumentError`. */
export const decodeColumns = (text: string): NamedColumns => {
  const csv = csvParser(text.length)
  const [record] = [...csv.take([{ number: 1, text }]), ...csv.end()]
  if (record?.cells === undefined) throw new InvalidArgumentError(record?.problem ?? "it is empty")
  const columns: Partial<Record<PetMember, string>> = {}
  for (const cell of record.cells) {
    const [given, ...header] = cell.split("=")
    const member = petMembers.find((name) => name === given)
    if (member === undefined || header.length === 0)
      throw new InvalidArgumentError(`expected one of ${petMembers.join(", ")}, = and a header, got ${cell}`)
    if (columns[member] !== undefined) throw new InvalidArgumentError(`${member} is given twice`)
    columns[member] = header.join("=")
  }
  return columns
}

type PetDecoderUnder<A> = (header: Header, named: NamedColumns) => ReturnType<DecoderUnder<A>>

export type PetFileReader<A> = (format: PetFileFormat, csv: CsvOptions) => ReadRows<A>

const petFileReader =
  <A>(decode: (json: unknown) => Either.Either<A, InvalidBody>, decoderUnder: PetDecoderUnder<A>): PetFileReader<A> =>
  (format, { delimiter, columns = {} }) =>
    format === "csv" ? readCsvRows((header) => decoderUnder(header, columns), delimiter) : readJsonRows(decode)

export type PetUpdate = readonly [petId: PetId, correction: ValidPetCorrection]

const decodeId = decodeBody(Schema.Struct({ id: Int64 }))

/** Decodes a correction. A failure lists every problem in the row, the identifier's first. */
const decodeUpdate = (json: unknown): Either.Either<PetUpdate, InvalidBody> => {
  const [id, correction] = [decodeId(json), decodePetCorrection(json)]
  if (Either.isRight(id)) return Either.map(correction, (given): PetUpdate => [id.right.id, given])
  const others = Either.isLeft(correction) ? correction.left.problems : []
  const known = new Set(id.left.problems.map(({ field }) => field))
  return Either.left(new InvalidBody({ problems: [...id.left.problems, ...others.filter(({ field }) => !known.has(field))] }))
}

/** Delimiters that other programs use, keyed by the option's value as typed in a shell. */
const delimiters: Readonly<Record<string, string>> = { '","': ",", '";"': ";", tab: "\t", '"|"': "|" }

/** Normalizes a header for comparison: `category_id` and `Category ID` become `categoryid`. */
const folded = (header: string): string => header.toLowerCase().replaceAll(/[^a-z]/g, "")

/** Shows an unusable header, and the option that would make it readable. */
const hintFor = ({ text, cells, delimiter }: Header, members: ReadonlyArray<PetMember>): string => {
  const header = text.trimEnd()
  const shown = showJson(header)
  const other = Object.entries(delimiters).find(([, mark]) => cells.length === 1 && mark !== delimiter && header.includes(mark))
  if (other !== undefined) return `It is ${shown}, with a different delimiter between its cells: pass --delimiter ${other[0]}.`
  const named = members.map((member) => {
    const cell = cells.find((one) => folded(one) === folded(member))
    return `${member}=${cell ?? "HEADER"}`
  })
  return `It is ${shown}: pass --columns ${JSON.stringify(named.join(","))} with the headers that it has.`
}

/** The column of each member, or -1 if the member has no column. Other columns are ignored. */
const columnsUnder = (header: Header, named: NamedColumns, required: ReadonlyArray<PetMember>) => {
  const { cells } = header
  const find = (member: PetMember): number => {
    const wanted = named[member] ?? member
    const column = cells.indexOf(wanted)
    if (column !== cells.lastIndexOf(wanted)) throw headerRefused(header, `it names ${wanted} more than once`)
    if (column === -1 && (required.includes(member) || named[member] !== undefined)) {
      throw headerRefused(header, `it does not name the column ${wanted}`, ` ${hintFor(header, required)}`)
    }
    // Otherwise, the import would silently ignore a misspelled column, and every pet could lose its status.
    const misspelled = column === -1 ? cells.find((cell) => folded(cell) === folded(member)) : undefined
    if (misspelled !== undefined) throw headerRefused(header, `${misspelled} is not a column`, ` ${hintFor(header, [member])}`)
    return column
  }
  // In a file of new pets, several columns may be named `id`. All of them are ignored.
  const id = required.includes("id") ? find("id") : -1
  return { id, name: find("name"), categoryId: find("categoryId"), status: find("status") }
}

/** Text that is not a 64-bit integer stays text, which the rules reject. */
const int64OrText = (text = ""): bigint | string => Option.getOrElse(int64FromText(text), () => text)

const newPetUnder: PetDecoderUnder<ValidNewPet> = (header, named) => {
  const columnOf = columnsUnder(header, named, ["name", "categoryId"])
  return (cells) => {
    const pet = { name: cells[columnOf.name], categoryId: int64OrText(cells[columnOf.categoryId]) }
    const status = cells[columnOf.status]
    return decodeNewPet(status ? { ...pet, status } : pet)
  }
}

/** If a column is absent, its member keeps its value. An empty `status` cell removes the status. */
const updateUnder: PetDecoderUnder<PetUpdate> = (header, named) => {
  const { id, name, categoryId, status } = columnsUnder(header, named, ["id"])
  return (cells) =>
    decodeUpdate({
      id: int64OrText(cells[id]),
      ...(name !== -1 && { name: cells[name] }),
      ...(categoryId !== -1 && { categoryId: int64OrText(cells[categoryId]) }),
      ...(status !== -1 && { status: cells[status] || null }),
    })
}

/** Reads new pets. Each row is checked against the rules of `POST /pets`, including its length. */
export const readPetRows = petFileReader(decodeNewPet, newPetUnder)

/** Reads corrections. Each row is checked against the rules of `PATCH /pets/{petId}`. */
export const readUpdateRows = petFileReader(decodeUpdate, updateUnder)

export const petFileEncoders: Readonly<Record<PetFileFormat, { readonly start: string; readonly encode: (pet: Pet) => string }>> =
  {
    ndjson: { start: "", encode: (pet) => `${encodePet(pet)}\n` },
    csv: {
      start: encodeCsvRecord(petMembers),
      encode: ({ id, name, categoryId, status }) => `${id},${encodeCsvCell(name)},${categoryId},${status ?? ""}\n`,
    },
  }
