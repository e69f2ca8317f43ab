/**
 * Rejected rows as a file that can be corrected and imported again: in the format of the input, each with its reason in
 * `rejectedBecause`, which an import ignores.
 */
import { decodeJson } from "@petstore/core"
import { Either } from "effect"
import { encodeCsvRecord } from "./csv.js"
import type { Source } from "./rows.js"

/** The member, or column, that holds the reason. */
const reasonName = "rejectedBecause"

export interface RejectedRows {
  /** Takes the cells of the header line, where the file has one. */
  readonly header: (cells: ReadonlyArray<string>) => void
  /** A row as text. The first of CSV begins with the header line. */
  readonly encode: (source: Source, reason: string) => string
}

/** The reason that an earlier import wrote: always the last member. */
const formerReason = new RegExp(`,?"${reasonName}":"(?:[^"\\\\]|\\\\.)*"\\}$`)

/** Rejected lines of NDJSON. A line that is not a JSON object becomes the member `line` of one. */
export const rejectedNdjson = (): RejectedRows => ({
  header: () => {},
  encode: (source, reason) => {
    const text = typeof source === "string" ? source.trim() : ""
    const json = Either.getOrNull(decodeJson(text))
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json) && text.startsWith("{")
    // Text, not values: a number keeps its spelling.
    const object = isObject ? text.replace(formerReason, "}") : JSON.stringify({ line: String(source) })
    const members = object.slice(0, -1).trimEnd()
    return `${members}${members === "{" ? "" : ","}${JSON.stringify(reasonName)}:${JSON.stringify(reason)}}\n`
  },
})

/** Rejected records of CSV. The reason is the first column, so that a record with too many cells stays unchanged. */
export const rejectedCsv = (delimiter = ","): RejectedRows => {
  let start = ""
  let formerColumn = -1
  const withoutFormer = (cells: ReadonlyArray<string>) => cells.filter((_, column) => column !== formerColumn)
  return {
    header: (cells) => {
      formerColumn = cells.indexOf(reasonName)
      start = encodeCsvRecord([reasonName, ...withoutFormer(cells)], delimiter)
    },
    encode: (source, reason) => {
      const text =
        start + encodeCsvRecord([reason, ...(typeof source === "string" ? [source] : withoutFormer(source))], delimiter)
      start = ""
      return text
    },
  }
}
