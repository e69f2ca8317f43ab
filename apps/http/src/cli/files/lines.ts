/**
 * The lines of a file, in bounded memory, each with its number.
 *
 * Lines end with LF; what stands before it, a CR included, belongs to the line.
 * `node:readline` is no choice here: it also splits at U+2028, which is a plain character of a name.
 */
import { isUtf8 } from "node:buffer"

/** A line, counted from 1: its text, or why it has none. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly text: undefined; readonly problem: string }

const newline = 0x0a
const byteOrderMark = Buffer.from("\uFEFF")

/**
 * Splits chunks of bytes into lines, some for each chunk. A chunk may be overwritten after
 * that. A line over the limit is read to its end, never kept. A byte order mark at the
 * start is dropped.
 */
export function* readLines(chunks: Iterable<Buffer>, limitBytes: number): Generator<ReadonlyArray<Line>> {
  let number = 0
  /** The start of a line whose end has not come yet. */
  let pieces: Array<Buffer> = []
  let pieceBytes = 0

  const hold = (piece: Buffer): void => {
    if (piece.length === 0) return
    // Over the limit the length is all that matters.
    if (pieceBytes <= limitBytes) pieces.push(Buffer.from(piece))
    pieceBytes += piece.length
  }

  const lineOf = (last: Buffer): Line => {
    number += 1
    if (pieceBytes + last.length > limitBytes) {
      pieces = []
      pieceBytes = 0
      return { number, text: undefined, problem: `the line is longer than ${limitBytes} bytes` }
    }
    let bytes = last
    if (pieceBytes > 0) {
      bytes = Buffer.concat([...pieces, last])
      pieces = []
      pieceBytes = 0
    }
    if (number === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark))
      bytes = bytes.subarray(byteOrderMark.length)
    return isUtf8(bytes)
      ? { number, text: bytes.toString("utf8") }
      : { number, text: undefined, problem: "the line is not UTF-8" }
  }

  for (const chunk of chunks) {
    const lines: Array<Line> = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      lines.push(lineOf(chunk.subarray(start, end)))
      start = end + 1
    }
    hold(chunk.subarray(start))
    yield lines
  }
  if (pieceBytes > 0) yield [lineOf(Buffer.alloc(0))]
}
