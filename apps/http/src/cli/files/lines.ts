/**
 * Reads the numbered lines of a file in bounded memory. A line ends with LF, and a CR before the LF belongs to the line. Unlike
 * `node:readline`, this module does not split at U+2028, an ordinary character in a name.
 */
import { isUtf8 } from "node:buffer"

/** A line, numbered from 1: either its text, or the reason why it cannot be read and its readable part. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly text: undefined; readonly problem: string; readonly shown: string }

/** Encodings other than UTF-8: their name, their name for `iconv`, and how to recognize their bytes. */
const otherEncodings = [
  { name: "UTF-16", iconv: "UTF-16", looksSo: (bytes: Buffer) => ["fffe", "feff"].includes(bytes.toString("hex", 0, 2)) },
  // Latin-1 has control characters where Windows-1252 has quotes and dashes.
  { name: "Windows-1252", iconv: "WINDOWS-1252", looksSo: (bytes: Buffer) => bytes.some((byte) => byte >= 0x80 && byte < 0xa0) },
  { name: "Latin-1", iconv: "ISO-8859-1", looksSo: () => true },
] as const

const notUtf8 = (number: number, bytes: Buffer): Line => {
  const looksLike = otherEncodings.find(({ looksSo }) => looksSo(bytes))
  const problem = `the line is not UTF-8, but looks like ${looksLike?.name}: convert the file (iconv -f ${looksLike?.iconv} -t UTF-8)`
  // Windows-1252 has all printable characters of Latin-1.
  return { number, text: undefined, problem, shown: new TextDecoder("windows-1252").decode(bytes) }
}

const newline = 0x0a
const byteOrderMark = Buffer.from("\uFEFF")

/**
 * Splits byte chunks into lines. A chunk may be overwritten as soon as the next one is requested. A line over the limit is read
 * to its end but not kept. A byte order mark at the start is dropped.
 */
export function* readLines(chunks: Iterable<Buffer>, limitBytes: number): Generator<ReadonlyArray<Line>> {
  let number = 0
  /** The start of an incomplete line. */
  let pieces: Array<Buffer> = []
  let pieceBytes = 0

  const hold = (piece: Buffer): void => {
    if (piece.length === 0) return
    // Over the limit, only the length matters.
    if (pieceBytes <= limitBytes) pieces.push(Buffer.from(piece))
    pieceBytes += piece.length
  }

  const lineOf = (last: Buffer): Line => {
    number += 1
    const isTooLong = pieceBytes + last.length > limitBytes
    const whole = pieceBytes > 0 && !isTooLong ? Buffer.concat([...pieces, last]) : last
    if (pieceBytes > 0) {
      pieces = []
      pieceBytes = 0
    }
    if (isTooLong) return { number, text: undefined, problem: `the line is longer than ${limitBytes} bytes`, shown: "" }
    const hasMark = number === 1 && whole.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    const bytes = hasMark ? whole.subarray(byteOrderMark.length) : whole
    return isUtf8(bytes) ? { number, text: bytes.toString("utf8") } : notUtf8(number, bytes)
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
