/** A row of a file, and how rows become values. */
import type { FieldProblem } from "@petstore/core"
import { sentenceOf } from "@petstore/core/internal"
import type { FileDescription } from "./description.js"
import type { Layout, Wanted } from "./layout.js"
import { FileRefused } from "./refused.js"
import { textReader } from "./text.js"

/** A row's source: a JSON text, or the cells of a CSV record. */
export type Source = string | ReadonlyArray<string>

/** A row of a file with the number of its first line, and either its content or the reason for its rejection. */
export type Row<A> = { readonly line: number; readonly source: Source } & (
  | { readonly value: A; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }
)

/** A value, or what is wrong with its source. */
export type Decoded<A> =
  | { readonly value: A; readonly problems?: undefined }
  | { readonly value?: undefined; readonly problems: ReadonlyArray<FieldProblem> }

export type Decode<Input, A> = (input: Input) => Decoded<A>

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

/** The rows of a file's text, piece by piece. */
export interface TextRows<A> {
  readonly take: (text: string) => ReadonlyArray<Row<A>>
  readonly end: () => ReadonlyArray<Row<A>>
  readonly layout?: () => Layout | undefined
}

export const rowOf = <A>(line: number, source: Source, decoded: Decoded<A>): Row<A> =>
  decoded.problems === undefined
    ? { line, source, value: decoded.value }
    : { line, source, problem: sentenceOf(decoded.problems) }

/** @param rowsOf  chooses the format by the first piece of text */
export const readerOf = <A>({ encoding }: FileDescription, rowsOf: (start: string) => TextRows<A>): RowReader<A> => {
  const text = textReader(encoding)
  let rows: TextRows<A> | undefined
  let last = "\n"
  const feed = (piece: string): ReadonlyArray<Row<A>> => {
    if (piece === "") return []
    last = piece.at(-1) ?? last
    rows ??= rowsOf(piece)
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
