/** CSV as in RFC 4180, with a comma or another delimiter. Cells are not trimmed. */
import type { Line } from "./lines.js"

/** A record: the number of its first line, and either its cells, or the reason why it has none and its text. */
export type CsvRecord =
  | { readonly line: number; readonly cells: ReadonlyArray<string> }
  | { readonly line: number; readonly cells: undefined; readonly problem: string; readonly source: string }

/**
 * Parses lines into records. A broken record affects no other record, but an unclosed quote swallows lines up to the limit.
 *
 * @param limit  the maximum number of characters in a record
 */
export const csvParser = (limit: number, delimiter = ",") => {
  /** The record that is being read: its first line, its cells so far, and its open quoted cell, if there is one. */
  let firstLine = 0
  let cells: Array<string> = []
  let open: string | undefined
  let source = ""

  const fail = (problem: string): CsvRecord => {
    open = undefined
    return { line: firstLine, cells: undefined, problem, source }
  }

  const takeText = (text: string): CsvRecord | undefined => {
    let at = 0
    for (;;) {
      if (open !== undefined) {
        const quote = text.indexOf('"', at)
        if (quote === -1) {
          open += `${text.slice(at)}\n`
          return undefined
        }
        open += text.slice(at, quote)
        at = quote + 1
        if (text[at] === '"') {
          open += '"'
          at += 1
          continue
        }
        cells.push(open)
        open = undefined
        if (isEnd(text, at)) return { line: firstLine, cells }
        if (text[at] !== delimiter) return fail("there is text between a closing quote and the end of its cell")
        at += 1
      }
      if (text[at] === '"') {
        open = ""
        at += 1
        continue
      }
      const end = text.indexOf(delimiter, at)
      const cell = end === -1 ? text.slice(at, text.endsWith("\r") ? -1 : undefined) : text.slice(at, end)
      if (cell.includes('"')) return fail("there is a quote inside a cell that does not start with one")
      cells.push(cell)
      if (end === -1) return { line: firstLine, cells }
      at = end + 1
    }
  }

  const takeLine = (line: Line): CsvRecord | undefined => {
    if (open === undefined) {
      if (line.text?.trim() === "") return undefined
      firstLine = line.number
      cells = []
      source = ""
    }
    if (open !== undefined) source += "\n"
    source += line.text ?? line.shown
    if (line.text === undefined) return fail(line.problem)
    if (source.length > limit) {
      return fail(`the record is longer than ${limit} characters: lines ${firstLine} to ${line.number} are not read`)
    }
    return takeText(line.text)
  }

  return {
    /** Returns the records that end on these lines. Blank lines between records are skipped. */
    take: (lines: ReadonlyArray<Line>): ReadonlyArray<CsvRecord> => lines.flatMap((line) => takeLine(line) ?? []),
    /** Returns the record that the end of the file cuts off, if there is one. */
    end: (): ReadonlyArray<CsvRecord> =>
      open === undefined ? [] : [fail("a quoted cell is not closed before the end of the file")],
  }
}

/** Whether a record ends here. The line no longer contains its LF, so only the CR of a CRLF can be left. */
const isEnd = (text: string, at: number): boolean => at === text.length || (at === text.length - 1 && text[at] === "\r")

/** Encodes a cell. Does not change text that a spreadsheet would interpret as a formula. */
export const encodeCsvCell = (cell: string, delimiter = ","): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell

export const encodeCsvRecord = (cells: ReadonlyArray<string>, delimiter = ","): string =>
  `${cells.map((cell) => encodeCsvCell(cell, delimiter)).join(delimiter)}\n`
