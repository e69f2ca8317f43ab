/** The rows of a file: of CSV, of lines that hold one JSON object each, or of a JSON array. Works on bytes, chunk by chunk. */
import { decodeJson } from "@petstore/core"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { Either } from "effect"
import { csvRows } from "./csv-rows.js"
import type { FileDescription } from "./description.js"
import { FileRefused } from "./refused.js"
import { type Row, type RowDecoder, type RowReader, readerOf, rowOf, type TextRows } from "./row.js"

export const fileFormats = ["ndjson", "csv", "json"] as const
export type FileFormat = (typeof fileFormats)[number]

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
      return json.right.map((value: unknown, index) => rowOf(index + 1, stringifyExactJson(value), fromJson(value)))
    },
  }
}

export const rowReader = <A>(format: FileFormat, description: FileDescription, decoder: RowDecoder<A>): RowReader<A> =>
  readerOf(description, (start) => {
    if (startsArray(format, start)) return jsonArray(decoder)
    return format === "csv" ? csvRows(description, decoder) : jsonLines(decoder)
  })

const startsArray = (format: FileFormat, text: string): boolean => format === "json" && !/^\s*\{/.test(text)
