/**
 * CSV as in RFC 4180, with any delimiter and with LF, CRLF or CR. A quote inside a cell that does not start with one is text.
 * Cells are not trimmed, but spaces after a closing quote are dropped. A parser that has lost its place cannot know where the next record starts, so it refuses the file.
 */
import { FileRefused } from "./refused.js"

/** A record: the number of its first line, and its cells. */
export interface CsvRecord {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** The maximum number of characters in a record: more than any description of a pet, little enough to hold. */
const recordLimit = 1 << 24

/** Returns the position of a mark, or infinity. */
const find = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}

/** Parses text into records, of which empty ones are skipped. Throws `FileRefused` if quotes are broken. */
export const csvParser = (delimiter: string, firstLine = 1) => {
  let rest = ""
  let line = firstLine

  /** Parses the complete records; at the end of the file, all of them. */
  const parse = (text: string, isLast: boolean): ReadonlyArray<CsvRecord> => {
    const records: Array<CsvRecord> = []
    let at = 0
    let quote = find(text, '"', 0)
    let feed = find(text, "\n", 0)
    let carriage = find(text, "\r", 0)
    const advance = (): void => {
      if (quote < at) quote = find(text, '"', at)
      if (feed < at) feed = find(text, "\n", at)
      if (carriage < at) carriage = find(text, "\r", at)
    }

    /** Reads a record with quotes. Returns `undefined` if it is incomplete. */
    const readQuoted = (): ReadonlyArray<string> | undefined => {
      const cells: Array<string> = []
      const opened = line
      for (;;) {
        let cell = ""
        if (text[at] === '"') {
          at += 1
          for (;;) {
            const next = text.indexOf('"', at)
            if (next === -1 || (next === text.length - 1 && !isLast)) {
              if (isLast) throw new FileRefused(`The quote that opens in the record on line ${opened} is never closed.`)
              return undefined
            }
            const isDoubled = text[next + 1] === '"'
            cell += text.slice(at, isDoubled ? next + 1 : next)
            at = next + (isDoubled ? 2 : 1)
            if (!isDoubled) break
          }
          line += linesIn(cell)
          while (text[at] === " ") at += 1
        } else {
          advance()
          const end = Math.min(find(text, delimiter, at), feed, carriage, text.length)
          cell = text.slice(at, end)
          at = end
        }
        cells.push(cell)
        const mark = text[at]
        if (mark === delimiter) {
          at += 1
        } else if (mark === undefined) {
          return isLast ? cells : undefined
        } else if (mark === "\n" || mark === "\r") {
          return cells
        } else {
          throw new FileRefused(`On line ${line} there is text between a closing quote and the end of its cell.`)
        }
      }
    }

    for (;;) {
      advance()
      const start = at
      const startLine = line
      let end = Math.min(feed, carriage)
      let cells: ReadonlyArray<string> | undefined
      if (quote < end && quote < text.length) {
        cells = readQuoted()
        end = at
      } else if (end < text.length || (isLast && at < text.length)) {
        end = Math.min(end, text.length)
        cells = text.slice(at, end).split(delimiter)
      }
      // A CR at the end of a chunk may be half of a CRLF.
      if (cells === undefined || (!isLast && text[end] === "\r" && end === text.length - 1)) {
        line = startLine
        rest = isLast ? "" : text.slice(start)
        if (rest.length > recordLimit) {
          throw new FileRefused(`The record on line ${line} is longer than ${recordLimit} characters: is a quote not closed?`)
        }
        return records
      }
      at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1)
      line += 1
      if (!isEmpty(cells)) records.push({ line: startLine, cells })
    }
  }

  return {
    take: (text: string): ReadonlyArray<CsvRecord> => parse(rest + text, false),
    /** Reads on without records. Only text with quotes can be broken, so other text need not be parsed. */
    skip: (text: string): void => {
      const all = rest + text
      const end = all.includes('"') ? 0 : all.lastIndexOf("\n") + 1
      line += linesIn(all.slice(0, end))
      parse(all.slice(end), false)
    },
    end: (): ReadonlyArray<CsvRecord> => parse(rest, true),
  }
}

const linesIn = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0

const isEmpty = (cells: ReadonlyArray<string>): boolean =>
  (cells[0] === "" || cells[0]?.trim() === "") && cells.every((cell) => cell.trim() === "")

/** Encodes a cell. */
export const encodeCsvCell = (cell: string, delimiter = ","): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell

export const encodeCsvRecord = (cells: ReadonlyArray<string>, delimiter = ","): string =>
  `${cells.map((cell) => encodeCsvCell(cell, delimiter)).join(delimiter)}\n`
