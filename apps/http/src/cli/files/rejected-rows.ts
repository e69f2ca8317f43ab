/** Writes rejected rows, in the input's format, for another import, which ignores their reasons in `rejectedBecause`. */
import { decodeJson } from "@petstore/core"
import { encodeCsvRecord, type Layout, type Source } from "@petstore/pet-files"
import { Either } from "effect"

/** The member, or column, that holds the reason. */
const reasonName = "rejectedBecause"

export interface RejectedRows {
  /** Encodes a row as text. The text of the first CSV row begins with the header line. */
  readonly encode: (source: Source, reason: string, layout: Layout | undefined) => string
}

/** The reason that an earlier import wrote: always the last member. */
const formerReason = new RegExp(`,?"${reasonName}":"(?:[^"\\\\]|\\\\.)*"\\}$`)

/** Encodes rejected NDJSON lines. A line that is not a JSON object becomes the `line` member of a new object. */
export const rejectedNdjson = (): RejectedRows => ({
  encode: (source, reason) => {
    const text = typeof source === "string" ? source.trim() : ""
    const json = Either.getOrNull(decodeJson(text))
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json) && text.startsWith("{")
    // Edits the text, not parsed values, so that numbers keep all their digits.
    const object = isObject ? text.replace(formerReason, "}") : JSON.stringify({ line: String(source) })
    const members = object.slice(0, -1).trimEnd()
    return `${members}${members === "{" ? "" : ","}${JSON.stringify(reasonName)}:${JSON.stringify(reason)}}\n`
  },
})

/** Encodes rejected CSV records. The reason is the first column, so that a record with too many cells stays unchanged. */
export const rejectedCsv = (): RejectedRows => {
  let isFirst = true
  return {
    encode: (source, reason, layout) => {
      const { names = [], delimiter, headerLine } = layout ?? {}
      const formerColumn = names.indexOf(reasonName)
      const withoutFormer = (cells: ReadonlyArray<string>) => cells.filter((_, column) => column !== formerColumn)
      const header = isFirst && headerLine !== undefined ? encodeCsvRecord([reasonName, ...withoutFormer(names)], delimiter) : ""
      isFirst = false
      const cells = typeof source === "string" ? [source] : withoutFormer(source)
      // Without a header, the reason is last, so that the columns keep their numbers.
      return header + encodeCsvRecord(headerLine === undefined ? [...cells, reason] : [reason, ...cells], delimiter)
    },
  }
}
