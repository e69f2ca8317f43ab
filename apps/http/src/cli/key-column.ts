/** Finds the column that names each row of a file, for `--key`. */
import { extname } from "node:path"
import type { RowDecoder } from "@petstore/pet-files"

/** Headers of columns that may name rows. */
const names = /^id(?:$|[\p{Lu}\s_-])|(?:^|[\s_-])(?:id|sku|no\.?|nr\.?|number|code|ref|tag|chip|uuid)\s*$/iu

/** Headers that only look so. */
const others = /zip|post|phone|area/i

/** How many rows are compared at most. */
const rowMaximum = 2_000_000

/** Also watches the columns that may name rows: one does if no row is without a value, and no two have the same. */
export const watchingKeys = <A>(decoder: RowDecoder<A>) => {
  let candidates: ReadonlyArray<{ readonly name: string; readonly seen: Set<string> }> | undefined
  const among = (columns: ReadonlyArray<string>) =>
    columns.filter((name) => names.test(name) && !others.test(name)).map((name) => ({ name, seen: new Set<string>() }))
  let rows = 0
  const note = (cellOf: (name: string) => unknown): void => {
    rows += 1
    candidates = candidates?.filter(({ name, seen }) => {
      const value = String(cellOf(name) ?? "").trim()
      const before = seen.size
      return value !== "" && rows <= rowMaximum && seen.add(value).size > before
    })
  }
  const watched: RowDecoder<A> = {
    ...decoder,
    fromCells: (layout) => {
      const decode = decoder.fromCells(layout)
      candidates = among(layout.names)
      return (cells) => {
        note((name) => cells[layout.names.indexOf(name)])
        return decode(cells)
      }
    },
    fromJson: (json) => {
      if (typeof json === "object" && json !== null) {
        candidates ??= among(Object.keys(json))
        const members: Readonly<Record<string, unknown>> = { ...json }
        note((name) => members[name])
      }
      return decoder.fromJson(json)
    },
  }
  return { watched, key: () => (rows > 0 ? candidates?.[0]?.name.trim() : undefined) }
}

/** A name for the file of identifiers, beside the imported file. */
export const idsFileOf = (path: string): string => {
  const plain = path.replace(/\.gz$/i, "")
  return `${plain.slice(0, plain.length - extname(plain).length)}.ids.csv`
}
