/** CSV as in RFC 4180, with a comma or another delimiter. Cells are not trimmed. */
import type { Line } from "./lines.js"

/** A record: the number of its first line, and either its cells, or the reason why it has none and its text. */
export type CsvRecord =
  | { readonly line: number; readonly cells: ReadonlyArray<string> }
  | { readonly line: number; readonly cells: undefined; readonly problem: string; readonly source: string }

/** Parses lines into records. A broken record affects no other record, but an unclosed quote swallows lines up to the limit. */
export class CsvRecords {
  readonly #limit: number
  readonly #delimiter: string
  /** The record that is being read: its first line, its cells so far, and its open quoted cell, if there is one. */
  #line = 0
  #cells: Array<string> = []
  #open: string | undefined
  #text = ""

  /** @param limit  the maximum number of characters in a record */
  constructor(limit: number, delimiter = ",") {
    this.#limit = limit
    this.#delimiter = delimiter
  }

  /** Returns the records that end on these lines. Blank lines between records are skipped. */
  take(lines: ReadonlyArray<Line>): ReadonlyArray<CsvRecord> {
    return lines.flatMap((line) => this.#takeLine(line) ?? [])
  }

  /** Returns the record that the end of the file cuts off, if there is one. */
  end(): ReadonlyArray<CsvRecord> {
    return this.#open === undefined ? [] : [this.#fail("a quoted cell is not closed before the end of the file")]
  }

  #takeLine(line: Line): CsvRecord | undefined {
    if (this.#open === undefined) {
      if (line.text?.trim() === "") return undefined
      this.#line = line.number
      this.#cells = []
      this.#text = ""
    }
    if (this.#open !== undefined) this.#text += "\n"
    this.#text += line.text ?? line.shown
    if (line.text === undefined) return this.#fail(line.problem)
    if (this.#text.length > this.#limit) {
      return this.#fail(`the record is longer than ${this.#limit} characters: lines ${this.#line} to ${line.number} are not read`)
    }
    return this.#takeText(line.text)
  }

  #takeText(text: string): CsvRecord | undefined {
    let at = 0
    for (;;) {
      if (this.#open !== undefined) {
        const quote = text.indexOf('"', at)
        if (quote === -1) {
          this.#open += `${text.slice(at)}\n`
          return undefined
        }
        this.#open += text.slice(at, quote)
        at = quote + 1
        if (text[at] === '"') {
          this.#open += '"'
          at += 1
          continue
        }
        this.#cells.push(this.#open)
        this.#open = undefined
        if (isEnd(text, at)) return { line: this.#line, cells: this.#cells }
        if (text[at] !== this.#delimiter) return this.#fail("there is text between a closing quote and the end of its cell")
        at += 1
      }
      if (text[at] === '"') {
        this.#open = ""
        at += 1
        continue
      }
      const end = text.indexOf(this.#delimiter, at)
      const cell = end === -1 ? text.slice(at, text.endsWith("\r") ? -1 : undefined) : text.slice(at, end)
      if (cell.includes('"')) return this.#fail("there is a quote inside a cell that does not start with one")
      this.#cells.push(cell)
      if (end === -1) return { line: this.#line, cells: this.#cells }
      at = end + 1
    }
  }

  #fail(problem: string): CsvRecord {
    this.#open = undefined
    return { line: this.#line, cells: undefined, problem, source: this.#text }
  }
}

/** Whether a record ends here. The line no longer contains its LF, so only the CR of a CRLF can be left. */
const isEnd = (text: string, at: number): boolean => at === text.length || (at === text.length - 1 && text[at] === "\r")

/** Encodes a cell. Does not change text that a spreadsheet would interpret as a formula. */
export const encodeCsvCell = (cell: string, delimiter = ","): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell

export const encodeCsvRecord = (cells: ReadonlyArray<string>, delimiter = ","): string =>
  `${cells.map((cell) => encodeCsvCell(cell, delimiter)).join(delimiter)}\n`
