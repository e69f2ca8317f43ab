/** A file of categories: CSV with the columns `id` and `name`, as `petstore export --categories` writes it. */
import { type Category, decodeNewCategory, InvalidBody, int64FromText } from "@petstore/core"
import { redactApiKeys } from "@petstore/core/internal"
import { Either, Option } from "effect"
import { CommandFailed } from "../program.js"
import { type CsvRecord, CsvRecords, encodeCsvRecord } from "./csv.js"
import { readLines } from "./lines.js"
import { type ReadRows, type Row, rowOfCells } from "./rows.js"

const columns = ["id", "name"] as const

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

/** Other columns are ignored. The header must name both columns. */
export const readCategoryRows: ReadRows<Category> = function* (chunks, rowLimitBytes, onHeader) {
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
