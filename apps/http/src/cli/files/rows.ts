/** The rows of a file, each either good or bad. */
import { decodeJson, type InvalidBody } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { Either } from "effect"
import type { CsvRecord } from "./csv.js"
import type { Line } from "./lines.js"

/** A row's source: the text of an NDJSON line or of a broken CSV record, or the cells of a CSV record. */
export type Source = string | ReadonlyArray<string>

/** A row of a file with the number of its first line, and either its content or the reason for its rejection. */
export type Row<A> = { readonly line: number; readonly source: Source } & (
  | { readonly value: A; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }
)

/** Reads a file's rows in batches. Throws `CommandFailed` if the header cannot be used. `onHeader` receives a CSV file's header. */
export type ReadRows<A> = (
  chunks: Iterable<Buffer>,
  rowLimitBytes: number,
  onHeader: (cells: ReadonlyArray<string>) => void,
) => Iterable<ReadonlyArray<Row<A>>>

const rowOf = <A>(line: number, source: Source, decoded: Either.Either<A, InvalidBody>): Row<A> =>
  Either.isRight(decoded)
    ? { line, source, value: decoded.right }
    : { line, source, problem: toErrorObject(decoded.left).message }

/** Turns lines that hold one JSON value each into rows. Blank lines are skipped. */
export function* readJsonRows<A>(
  lines: Iterable<ReadonlyArray<Line>>,
  decode: (json: unknown) => Either.Either<A, InvalidBody>,
): Generator<ReadonlyArray<Row<A>>> {
  const rowOfLine = (line: Line): Row<A> => {
    // Text in a guessed encoding is a list, so that `rejectedNdjson` does not write it as an object that could be imported.
    if (line.text === undefined) return { line: line.number, source: [line.shown], problem: line.problem }
    const json = decodeJson(line.text)
    return Either.isLeft(json)
      ? { line: line.number, source: line.text, problem: `not valid JSON: ${json.left.reason}` }
      : rowOf(line.number, line.text, decode(json.right))
  }
  for (const some of lines) {
    const rows: Array<Row<A>> = []
    for (const line of some) if (line.text === undefined || line.text.trim() !== "") rows.push(rowOfLine(line))
    yield rows
  }
}

/** Turns a CSV record into a row. The record must have a cell for each of the header's columns. */
export const rowOfCells =
  <A>(width: number, decode: (cells: ReadonlyArray<string>) => Either.Either<A, InvalidBody>) =>
  (record: CsvRecord): Row<A> => {
    if (record.cells === undefined) return record
    const { line, cells } = record
    return cells.length === width
      ? rowOf(line, cells, decode(cells))
      : { line, source: cells, problem: `expected ${width} cells as in the header, got ${cells.length}` }
  }
