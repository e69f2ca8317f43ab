/** A file of categories: CSV with the columns `id` and `name`, as `petstore export --categories` writes it. */
import { type Category, decodeNewCategory, int64FromText } from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { type Decoded, encodeCsvRecord, type RowDecoder } from "@petstore/pet-files"
import { Either, Option } from "effect"
import { decodedOf } from "../pet-checks.js"

const columns = ["id", "name"] as const

export const categoryHeader = encodeCsvRecord(columns)

export const encodeCategoryRecord = ({ id, name }: Category): string => encodeCsvRecord([String(id), name])

const decodeCategory = (text: string, name: string | undefined): Decoded<Category> => {
  const id = int64FromText(text)
  if (Option.isSome(id)) return decodedOf(Either.map(decodeNewCategory({ name }), (category) => ({ id: id.value, ...category })))
  const problem = { field: "id", expected: "expected a 64-bit integer in decimal digits", received: showJson(text) }
  return { problems: [problem] }
}

/** Other columns are ignored. The header must name both columns. */
export const categoryRows: RowDecoder<Category> = {
  columns: { required: columns, optional: [] },
  fromCells:
    ({ columnOf }) =>
    (cells) =>
      decodeCategory(cells[columnOf["id"] ?? -1] ?? "", cells[columnOf["name"] ?? -1]),
  fromJson: () => decodeCategory("", undefined),
}
