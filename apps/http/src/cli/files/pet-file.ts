/** Pets in a file: one JSON object on each line, or CSV under a header line. */
import { extname } from "node:path"
import { decodeNewPet, encodePet, int64FromText, type NewPet, type Pet } from "@petstore/core"
import { Option } from "effect"
import { type CsvRecord, CsvRecords, encodeCsvRecord } from "./csv.js"
import { type Line, readLines } from "./lines.js"
import { type Row, readJsonRows, rowOf, UnreadableFile } from "./rows.js"

export const petFileFormats = ["ndjson", "csv"] as const
export type PetFileFormat = (typeof petFileFormats)[number]

const formatsByExtension: Readonly<Record<string, PetFileFormat>> = { ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv" }

/** The format that the name of a file speaks of, if it does. */
export const petFileFormatOf = (file: string): Option.Option<PetFileFormat> =>
  Option.fromNullable(formatsByExtension[extname(file).toLowerCase()])

/** The members of a pet that a column of CSV can hold. */
const petMembers = ["name", "categoryId", "status"] as const
type PetMember = (typeof petMembers)[number]

/** How CSV is written: the delimiter between cells, and the headers of columns that do not have the name of their member. */
export interface CsvOptions {
  /** A comma if absent. */
  readonly delimiter?: string
  readonly columns?: Partial<Readonly<Record<PetMember, string>>>
}

/** Reads the option `--columns`, a record of CSV: `name=Name,categoryId=Kategorie`. A text says what is wrong with it. */
export const decodeColumns = (text: string): NonNullable<CsvOptions["columns"]> | string => {
  const csv = new CsvRecords(text.length)
  const [record] = [...csv.take([{ number: 1, text }]), ...csv.end()]
  if (record?.cells === undefined) return record?.problem ?? "it is empty"
  const columns: Partial<Record<PetMember, string>> = {}
  for (const cell of record.cells) {
    const [given, ...header] = cell.split("=")
    const member = petMembers.find((name) => name === given)
    if (member === undefined || header.length === 0)
      return `expected one of ${petMembers.join(", ")}, = and a header, got ${cell}`
    if (columns[member] !== undefined) return `${member} is given twice`
    columns[member] = header.join("=")
  }
  return columns
}

/**
 * Reads the rows of a file, some at a time. A row is checked by the rules of
 * `POST /pets`, its length included. Blank lines are no rows. Throws `UnreadableFile`.
 *
 * @param onHeader  is called with the cells of the header line of CSV
 */
export function* readPetRows(
  chunks: Iterable<Buffer>,
  format: PetFileFormat,
  rowLimitBytes: number,
  csv: CsvOptions = {},
  onHeader: (cells: ReadonlyArray<string>) => void = () => {},
): Generator<ReadonlyArray<Row<NewPet>>> {
  const lines = readLines(chunks, rowLimitBytes)
  if (format === "csv") yield* readCsvRows(lines, rowLimitBytes, csv, onHeader)
  else yield* readJsonRows(lines, decodeNewPet)
}

function* readCsvRows(
  lines: Iterable<ReadonlyArray<Line>>,
  recordLimit: number,
  { delimiter = ",", columns = {} }: CsvOptions,
  onHeader: (cells: ReadonlyArray<string>) => void,
): Generator<ReadonlyArray<Row<NewPet>>> {
  const csv = new CsvRecords(recordLimit, delimiter)
  let headerText = ""
  let rowOfRecord: ((record: CsvRecord) => Row<NewPet>) | undefined
  const rowsOf = (records: ReadonlyArray<CsvRecord>): ReadonlyArray<Row<NewPet>> => {
    const [header, ...rest] = records
    if (rowOfRecord !== undefined) return records.map(rowOfRecord)
    if (header === undefined) return []
    rowOfRecord = rowUnder(header, headerText, delimiter, columns)
    if (header.cells !== undefined) onHeader(header.cells)
    return rest.map(rowOfRecord)
  }
  for (const some of lines) {
    headerText ||= some.find(({ text }) => text?.trim())?.text ?? ""
    yield rowsOf(csv.take(some))
  }
  yield rowsOf(csv.end())
}

/** Characters that other programs put between cells, by how an option names them. */
const delimiters: Readonly<Record<string, string>> = { '","': ",", '";"': ";", tab: "\t", '"|"': "|" }

/** A header as people write it: `category_id` and `Category ID` are `categoryid`. */
const folded = (header: string): string => header.toLowerCase().replaceAll(/[^a-z]/g, "")

/** What a header that cannot be used looks like, and the option that would read it. */
const hintFor = (headerText: string, cells: ReadonlyArray<string>, delimiter: string): string => {
  const header = headerText.trimEnd()
  const shown = JSON.stringify(header.length > 100 ? `${header.slice(0, 100)}…` : header)
  const other = Object.entries(delimiters).find(([, mark]) => cells.length === 1 && mark !== delimiter && header.includes(mark))
  if (other !== undefined) return `It is ${shown}, with another delimiter between its cells: pass --delimiter ${other[0]}.`
  const named = petMembers.slice(0, 2).map((member) => {
    const cell = cells.find((one) => folded(one) === folded(member))
    return `${member}=${cell ?? "HEADER"}`
  })
  return `It is ${shown}: pass --columns ${JSON.stringify(named.join(","))} with the headers that it has.`
}

/** What the header line decides: in which column each member stands. Other columns, `id` among them, are ignored. */
const rowUnder = (
  header: CsvRecord,
  text: string,
  delimiter: string,
  named: NonNullable<CsvOptions["columns"]>,
): ((record: CsvRecord) => Row<NewPet>) => {
  const columns = header.cells ?? []
  const refuse = (reason: string, hint: string) =>
    new UnreadableFile({ reason: `The header on line ${header.line} cannot be used: ${reason}.${hint}` })
  if (header.cells === undefined) throw refuse(header.problem, "")
  const columnOf = (member: PetMember): number => {
    const wanted = named[member] ?? member
    const column = columns.indexOf(wanted)
    if (column !== columns.lastIndexOf(wanted)) throw refuse(`it names ${wanted} more than once`, "")
    if (column === -1 && (member !== "status" || named.status !== undefined)) {
      throw refuse(`it does not name the column ${wanted}`, ` ${hintFor(text, columns, delimiter)}`)
    }
    return column
  }
  const [name, categoryId, status] = [columnOf("name"), columnOf("categoryId"), columnOf("status")]

  return (record) => {
    const { line, cells } = record
    if (cells === undefined) return { line, source: record.text, problem: record.problem }
    if (cells.length !== columns.length) {
      return { line, source: cells, problem: `expected ${columns.length} cells as in the header, got ${cells.length}` }
    }
    const member = cells[categoryId] ?? ""
    // A text that is not a 64-bit integer stays a text, which the rules refuse.
    const pet = { name: cells[name], categoryId: Option.getOrElse(int64FromText(member), () => member) }
    return rowOf(line, cells, decodeNewPet(cells[status] ? { ...pet, status: cells[status] } : pet))
  }
}

/** What stands before the first pet of a file, and how a pet is written in it. */
export const petFileEncoders: Readonly<Record<PetFileFormat, { readonly start: string; readonly encode: (pet: Pet) => string }>> =
  {
    ndjson: { start: "", encode: (pet) => `${encodePet(pet)}\n` },
    csv: {
      start: encodeCsvRecord(["id", "name", "categoryId", "status"]),
      encode: ({ id, name, categoryId, status }) => encodeCsvRecord([String(id), name, String(categoryId), status ?? ""]),
    },
  }
