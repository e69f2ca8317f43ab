/** A file of categories: CSV with the columns `id` and `name`, as `petstore export --categories` writes it. */
import { type Category, decodeNewCategory, InvalidBody, int64FromText } from "@petstore/core"
import { showJson } from "@petstore/core/internal"
import { Either, Option } from "effect"
import { encodeCsvRecord } from "../../pet-files/csv.js"
import type { RowDecoder } from "../../pet-files/rows.js"

const columns = ["id", "name"] as const

export const categoryHeader = encodeCsvRecord(columns)

export const encodeCategoryRecord = ({ id, name }: Category): string => encodeCsvRecord([String(id), name])

const decodeCategory = (text: string, name: string | undefined): Either.Either<Category, InvalidBody> => {
  const id = int64FromText(text)
  if (Option.isSome(id)) return Either.map(decodeNewCategory({ name }), (category) => ({ id: id.value, ...category }))
  const problem = { field: "id", expected: "expected a 64-bit integer in decimal digits", received: showJson(text) }
  return Either.left(new InvalidBody({ problems: [problem] }))
}

/** Other columns are ignored. The header must name both columns. */
export const categoryRows: RowDecoder<Category> = {
  columns: { required: columns, optional: [] },
  fromCells:
    ({ columnOf }) =>
    (cells) =>
      decodeCategory(cells[columnOf["id"] ?? -1] ?? "", cells[columnOf["name"] ?? -1]),
  fromJson: (json) => Either.flatMap(decodeNewCategory(json), () => decodeCategory("", undefined)),
}
