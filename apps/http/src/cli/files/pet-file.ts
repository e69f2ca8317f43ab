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

/**
 * Reads the rows of a file, some at a time. A row is checked by the rules of
 * `POST /pets`, its length included. Blank lines are no rows. Throws `UnreadableFile`.
 */
export function* readPetRows(
  chunks: Iterable<Buffer>,
  format: PetFileFormat,
  rowLimitBytes: number,
  delimiter = ",",
): Generator<ReadonlyArray<Row<NewPet>>> {
  const lines = readLines(chunks, rowLimitBytes)
  if (format === "csv") yield* readCsvRows(lines, rowLimitBytes, delimiter)
  else yield* readJsonRows(lines, decodeNewPet)
}

function* readCsvRows(
  lines: Iterable<ReadonlyArray<Line>>,
  recordLimit: number,
  delimiter: string,
): Generator<ReadonlyArray<Row<NewPet>>> {
  const csv = new CsvRecords(recordLimit, delimiter)
  let headerText = ""
  let rowOfRecord: ((record: CsvRecord) => Row<NewPet>) | undefined
  const rowsOf = (records: ReadonlyArray<CsvRecord>): ReadonlyArray<Row<NewPet>> => {
    const [header, ...rest] = records
    if (rowOfRecord !== undefined) return records.map(rowOfRecord)
    if (header === undefined) return []
    rowOfRecord = rowUnder(header, headerText, delimiter)
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

/** What a header that cannot be used looks like: its text, and what its cells seem to be separated by. */
const seenIn = (headerText: string, delimiter: string): string => {
  const header = headerText.trimEnd()
  const shown = JSON.stringify(header.length > 100 ? `${header.slice(0, 100)}…` : header)
  const other = Object.entries(delimiters).find(
    ([, mark]) => mark !== delimiter && /^"?name"?$/m.test(header.replaceAll(mark, "\n")),
  )
  return `it is ${shown}${other === undefined ? "" : `, whose cells another delimiter separates: say --delimiter ${other[0]}`}`
}

/** What the header line decides: in which column each member stands. Other columns, `id` among them, are ignored. */
const rowUnder = (header: CsvRecord, text: string, delimiter: string): ((record: CsvRecord) => Row<NewPet>) => {
  const refuse = (reason: string) =>
    new UnreadableFile({ reason: `The header on line ${header.line} cannot be used: ${reason}; ${seenIn(text, delimiter)}.` })
  if (header.cells === undefined) throw refuse(header.problem)
  const columns = header.cells
  const columnOf = (member: string): number => {
    const column = columns.indexOf(member)
    if (column !== columns.lastIndexOf(member)) throw refuse(`it names ${member} more than once`)
    return column
  }
  const name = columnOf("name")
  const categoryId = columnOf("categoryId")
  const status = columnOf("status")
  if (name === -1 || categoryId === -1) {
    throw refuse("it must name the columns name and categoryId, and may name status")
  }

  return (record) => {
    const { line, cells } = record
    if (cells === undefined) return { line, problem: record.problem }
    if (cells.length !== columns.length) {
      return { line, problem: `expected ${columns.length} cells as in the header, got ${cells.length}` }
    }
    const member = cells[categoryId] ?? ""
    // A text that is no 64-bit integer stays a text, which the rules refuse.
    const pet = { name: cells[name], categoryId: Option.getOrElse(int64FromText(member), () => member) }
    return rowOf(line, decodeNewPet(cells[status] ? { ...pet, status: cells[status] } : pet))
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
