/** The rows of a CSV file. */
import { type CsvRecord, csvParser } from "./csv.js"
import type { FileDescription } from "./description.js"
import { findLayout, type Layout } from "./layout.js"
import { type Decode, type Row, type RowDecoder, rowOf, type TextRows } from "./row.js"

/** How much of a file shows its layout, in characters. */
const sampleLength = 65_536

export const csvRows = <A>(
  description: FileDescription,
  { columns, fromCells, isDone = () => false }: RowDecoder<A>,
): TextRows<A> => {
  let sample = ""
  let layout: Layout | undefined
  let csv: ReturnType<typeof csvParser> | undefined
  let leading = 0
  let rowOfRecord: ((record: CsvRecord) => Row<A>) | undefined

  const rows = (records: ReadonlyArray<CsvRecord>): ReadonlyArray<Row<A>> => {
    const data = leading > 0 ? records.slice(leading) : records
    leading = Math.max(0, leading - records.length)
    return rowOfRecord === undefined ? [] : data.map(rowOfRecord)
  }
  const begin = (isAll: boolean): ReadonlyArray<Row<A>> => {
    const found = findLayout(isAll ? sample : sample.slice(0, sampleLength), isAll, columns, description)
    layout = found
    leading = found.leading
    rowOfRecord = rowOfCells(found.names.length, fromCells(found))
    csv = csvParser(found.delimiter, found.start > 0 ? 2 : 1)
    return rows(csv.take(sample.slice(found.start)))
  }
  return {
    take: (text) => {
      if (csv !== undefined && isDone()) {
        csv.skip(text)
        return []
      }
      if (csv !== undefined) return rows(csv.take(text))
      sample += text
      return sample.length < sampleLength ? [] : begin(false)
    },
    end: () => {
      const first = csv === undefined ? begin(true) : []
      return [...first, ...rows(csv?.end() ?? [])]
    },
    layout: () => layout,
  }
}

/** Turns a CSV record into a row. It must have a cell for each column; empty ones may follow. */
const rowOfCells =
  <A>(width: number, decode: Decode<ReadonlyArray<string>, A>) =>
  ({ line, cells }: CsvRecord): Row<A> =>
    cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell.trim() === ""))
      ? rowOf(line, cells, decode(cells))
      : { line, source: cells, problem: `expected ${width} cells as in the header, got ${cells.length}` }
