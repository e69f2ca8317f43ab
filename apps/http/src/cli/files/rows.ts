import { decodeJson, type InvalidBody } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { Either } from "effect"
import { CommandFailed } from "../program.js"
import { type CsvRecord, csvParser } from "./csv.js"
import { type Line, readLines } from "./lines.js"

/** A row's source: the text of an NDJSON line or of a broken CSV record, or the cells of a CSV record. */
export type Source = string | ReadonlyArray<string>

/** A row of a file with the number of its first line, and either its content or the reason for its rejection. */
export type Row<A> = { readonly line: number; readonly source: Source } & (
  | { readonly value: A; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }
)

/** Reads rows in batches. Throws `CommandFailed` if the header cannot be used. `onHeader` receives a CSV file's header. */
export type ReadRows<A> = (
  chunks: Iterable<Buffer>,
  rowLimitBytes: number,
  onHeader: (cells: ReadonlyArray<string>) => void,
) => Iterable<ReadonlyArray<Row<A>>>

const rowOf = <A>(line: number, source: Source, decoded: Either.Either<A, InvalidBody>): Row<A> =>
  Either.isRight(decoded)
    ? { line, source, value: decoded.right }
    : { line, source, problem: toErrorObject(decoded.left).message }

/** Returns the reader for lines that hold one JSON value each. Blank lines are skipped. */
export const readJsonRows = <A>(decode: (json: unknown) => Either.Either<A, InvalidBody>): ReadRows<A> => {
  const rowOfLine = (line: Line): Row<A> => {
    // Text in a guessed encoding is a list, so that `rejectedNdjson` does not write it as an object that could be imported.
    if (line.text === undefined) return { line: line.number, source: [line.shown], problem: line.problem }
    const json = decodeJson(line.text)
    return Either.isLeft(json)
      ? { line: line.number, source: line.text, problem: `not valid JSON: ${json.left.reason}` }
      : rowOf(line.number, line.text, decode(json.right))
  }
  return function* (chunks, rowLimitBytes) {
    for (const lines of readLines(chunks, rowLimitBytes)) yield lines.filter(({ text }) => text?.trim() !== "").map(rowOfLine)
  }
}

export interface Header {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  readonly text: string
  readonly delimiter: string
}

export const headerRefused = ({ line }: Pick<Header, "line">, reason: string, hint = ""): CommandFailed =>
  new CommandFailed({ reason: `The header on line ${line} cannot be used: ${reason}.${hint}` })

/** Decodes the cells of the records under a header. Throws `CommandFailed` if the header cannot be used. */
export type DecoderUnder<A> = (header: Header) => (cells: ReadonlyArray<string>) => Either.Either<A, InvalidBody>

export const readCsvRows = <A>(decoderUnder: DecoderUnder<A>, delimiter = ","): ReadRows<A> =>
  function* (chunks, rowLimitBytes, onHeader) {
    const csv = csvParser(rowLimitBytes, delimiter)
    let text = ""
    let rowOfRecord: ((record: CsvRecord) => Row<A>) | undefined
    const rowsOf = (records: ReadonlyArray<CsvRecord>): ReadonlyArray<Row<A>> => {
      if (rowOfRecord !== undefined) return records.map(rowOfRecord)
      const [header, ...rest] = records
      if (header === undefined) return []
      if (header.cells === undefined) throw headerRefused(header, header.problem)
      rowOfRecord = rowOfCells(header.cells.length, decoderUnder({ ...header, text, delimiter }))
      onHeader(header.cells)
      return rest.map(rowOfRecord)
    }
    for (const lines of readLines(chunks, rowLimitBytes)) {
      text ||= lines.find((line) => line.text?.trim())?.text ?? ""
      yield rowsOf(csv.take(lines))
    }
    yield rowsOf(csv.end())
  }

/** Turns a CSV record into a row. The record must have a cell for each of the header's columns. */
const rowOfCells =
  <A>(width: number, decode: (cells: ReadonlyArray<string>) => Either.Either<A, InvalidBody>) =>
  (record: CsvRecord): Row<A> => {
    if (record.cells === undefined) return record
    const { line, cells } = record
    return cells.length === width
      ? rowOf(line, cells, decode(cells))
      : { line, source: cells, problem: `expected ${width} cells as in the header, got ${cells.length}` }
  }
