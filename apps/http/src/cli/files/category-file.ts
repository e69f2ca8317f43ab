/** A file of categories: CSV with the columns `id` and `name`, as `petstore export --categories` writes it. */
import { type Category, decodeNewCategory, InvalidBody, int64FromText } from "@petstore/core"
import { redactApiKeys, showJson } from "@petstore/core/internal"
import { Either, Option } from "effect"
import { CommandFailed } from "../program.js"
import { encodeCsvRecord } from "./csv.js"
import { readCsvRows } from "./rows.js"

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
export const readCategoryRows = readCsvRows(({ cells }) => {
  const places = columns.map((column) => cells.indexOf(column))
  if (places.includes(-1)) {
    const got = redactApiKeys(cells.join(",")).slice(0, 100)
    throw new CommandFailed({ reason: `The first line must name the columns id and name, got ${got}.` })
  }
  return (row) => {
    const [id = "", name] = places.map((place) => row[place])
    return decodeCategory(id, name)
  }
})
