/** The rows of a file: of CSV, of lines that hold one JSON object each, or of a JSON array. Works on bytes, chunk by chunk. */
import { decodeJson, type InvalidBody } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { Either } from "effect"
import { type CsvRecord, csvParser } from "./csv.js"
import type { FileDescription } from "./description.js"
import { findLayout, type Layout, type Wanted } from "./layout.js"
import { FileRefused } from "./refused.js"
import { textReader } from "./text.js"

export const fileFormats = ["ndjson", "csv", "json"] as const
export type FileFormat = (typeof fileFormats)[number]

/** A row's source: a JSON text, or the cells of a CSV record. */
export type Source = string | ReadonlyArray<string>

/** A row of a file with the number of its first line, and either its content or the reason for its rejection. */
export type Row<A> = { readonly line: number; readonly source: Source } & (
  | { readonly value: A; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }
)

type Decode<Input, A> = (input: Input) => Either.Either<A, InvalidBody>

/** How the rows of a kind are decoded. */
export interface RowDecoder<A> {
  readonly columns: Wanted
  readonly fromCells: (layout: Layout) => Decode<ReadonlyArray<string>, A>
  readonly fromJson: Decode<unknown, A>
  /** Whether the content of further rows does not matter, only whether the file can be read. */
  readonly isDone?: () => boolean
}

/** Gives the rows that end within the bytes so far. Throws `FileRefused` for a file whose encoding, header or quotes are broken. */
export interface RowReader<A> {
  readonly take: (bytes: Uint8Array) => ReadonlyArray<Row<A>>
  readonly end: () => ReadonlyArray<Row<A>>
  /** A CSV file's layout, once it is known. */
  readonly layout: () => Layout | undefined
  /** Whether the file ends in the middle of a line, as one does that is still being written. */
  readonly isCut: () => boolean
}

interface TextRows<A> {
  readonly take: (text: string) => ReadonlyArray<Row<A>>
  readonly end: () => ReadonlyArray<Row<A>>
  readonly layout?: () => Layout | undefined
}

const rowOf = <A>(line: number, source: Source, decoded: Either.Either<A, InvalidBody>): Row<A> =>
  Either.isRight(decoded)
    ? { line, source, value: decoded.right }
    : { line, source, problem: toErrorObject(decoded.left).message }

/** The longest line of JSON, in characters. */
const lineLimit = 1 << 24

const jsonLines = <A>({ fromJson, isDone = () => false }: RowDecoder<A>): TextRows<A> => {
  let rest = ""
  let number = 0
  const read = (lines: ReadonlyArray<string>) =>
    lines.flatMap((text): ReadonlyArray<Row<A>> => {
      number += 1
      if (text.trim() === "") return []
      const json = decodeJson(text)
      if (Either.isRight(json)) return [rowOf(number, text, fromJson(json.right))]
      return [{ line: number, source: text, problem: `not valid JSON: ${json.left.reason}` }]
    })
  return {
    take: (text) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      if (rest.length > lineLimit)
        throw new FileRefused(`Line ${number + lines.length + 1} is longer than ${lineLimit} characters.`)
      if (!isDone()) return read(lines)
      number += lines.length
      return []
    },
    end: () => read([rest]),
  }
}

/** The largest JSON array, in characters: it is read as a whole. */
const arrayLimit = 1 << 26

const jsonArray = <A>({ fromJson }: RowDecoder<A>): TextRows<A> => {
  const pieces: Array<string> = []
  let length = 0
  return {
    take: (text) => {
      pieces.push(text)
      length += text.length
      if (length <= arrayLimit) return []
      throw new FileRefused(`The JSON array is longer than ${arrayLimit} characters: write one object on each line (.ndjson).`)
    },
    end: () => {
      const json = decodeJson(pieces.join(""))
      if (Either.isLeft(json)) throw new FileRefused(`The file is not valid JSON: ${json.left.reason}.`)
      if (!Array.isArray(json.right)) throw new FileRefused("The file is not a JSON array.")
      // The source of a rejected row is written by `JSON.stringify`, so large integers must be text.
      const text = (value: unknown) =>
        JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? JSON.rawJSON(String(inner)) : inner))
      return json.right.map((value: unknown, index) => rowOf(index + 1, text(value), fromJson(value)))
    },
  }
}

/** How much of a file shows its layout, in characters. */
const sampleLength = 65_536

const csvRows = <A>(description: FileDescription, { columns, fromCells, isDone = () => false }: RowDecoder<A>): TextRows<A> => {
  let sample = ""
  let layout: Layout | undefined
  let csv: ReturnType<typeof csvParser> | undefined
  let leading = 0
  let rowOfRecord: ((record: CsvRecord) => Row<A>) | undefined

  const rows = (records: ReadonlyArray<CsvRecord>): ReadonlyArray<Row<A>> => {
    const data = leading > 0 ? records.slice(leading) : records
    leading = Math.max(0, leading - records.length)
    return rowOfRecord === undefined || isDone() ? [] : data.map(rowOfRecord)
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

export const rowReader = <A>(format: FileFormat, description: FileDescription, decoder: RowDecoder<A>): RowReader<A> => {
  const text = textReader(description.encoding)
  let rows: TextRows<A> | undefined
  let last = "\n"
  const feed = (piece: string): ReadonlyArray<Row<A>> => {
    if (piece === "") return []
    last = piece.at(-1) ?? last
    rows ??= startsArray(format, piece)
      ? jsonArray(decoder)
      : format === "csv"
        ? csvRows(description, decoder)
        : jsonLines(decoder)
    return rows.take(piece)
  }
  return {
    take: (bytes) => feed(text.take(bytes)),
    end: () => {
      const piece = feed(text.end())
      if (rows === undefined) throw new FileRefused("The file is empty.")
      return [...piece, ...rows.end()]
    },
    layout: () => rows?.layout?.(),
    isCut: () => last !== "\n" && last !== "\r",
  }
}

const startsArray = (format: FileFormat, text: string): boolean => format === "json" && !/^\s*\{/.test(text)
