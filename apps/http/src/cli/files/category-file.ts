/** A file of categories: CSV with the columns `id` and `name`, as `petstore export --categories` writes it. */
import { type Category, decodeNewCategory, InvalidBody, int64FromText } from "@petstore/core"
import { redactApiKeys } from "@petstore/core/internal"
import { Either, Option } from "effect"
import { CommandFailed } from "../program.js"
import { type CsvRecord, CsvRecords, encodeCsvRecord } from "./csv.js"
import { readLines } from "./lines.js"
import { type Row, rowOfCells } from "./rows.js"

const columns = ["id", "name"] as const

/** The file's first record. */
export const categoryHeader = encodeCsvRecord(columns)

export const encodeCategoryRecord = ({ id, name }: Category): string => encodeCsvRecord([String(id), name])

const decodeCategory = (text: string, name: string | undefined): Either.Either<Category, InvalidBody> => {
  const id = int64FromText(text)
  if (Option.isNone(id)) {
    const problem = {
      field: "id",
      expected: "expected a 64-bit integer in decimal digits",
      received: JSON.stringify(redactApiKeys(text).slice(0, 60)),
    }
    return Either.left(new InvalidBody({ problems: [problem] }))
  }
  return Either.map(decodeNewCategory({ name }), (category) => ({ id: id.value, ...category }))
}

/**
 * Reads a file's rows in batches. Other columns are ignored. Throws `CommandFailed` if the header does not name both columns.
 */
export function* readCategoryRows(
  chunks: Iterable<Buffer>,
  rowLimitBytes: number,
  onHeader: (cells: ReadonlyArray<string>) => void,
): Generator<ReadonlyArray<Row<Category>>> {
  const records = new CsvRecords(rowLimitBytes)
  let rowUnderHeader: ((record: CsvRecord) => Row<Category>) | undefined
  const rowOfRecord = (record: CsvRecord): ReadonlyArray<Row<Category>> => {
    if (rowUnderHeader !== undefined) return [rowUnderHeader(record)]
    if (record.cells === undefined) return [record]
    const { cells } = record
    const places = columns.map((column) => cells.indexOf(column))
    if (places.includes(-1)) {
      const got = redactApiKeys(cells.join(",")).slice(0, 100)
      throw new CommandFailed({ reason: `The first line must name the columns id and name, got ${got}.` })
    }
    onHeader(cells)
    rowUnderHeader = rowOfCells(cells.length, (row) => {
      const [id = "", name] = places.map((place) => row[place])
      return decodeCategory(id, name)
    })
    return []
  }
  for (const lines of readLines(chunks, rowLimitBytes)) yield records.take(lines).flatMap(rowOfRecord)
  yield records.end().flatMap(rowOfRecord)
}
