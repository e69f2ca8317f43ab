/** A category's change is in the slot that its identifier determines. */
import { type Actor, type Category, CategoryRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { touchedText } from "../change-rows.js"
import { categoryRepository } from "../sql/category-repository.js"
import type { Tables } from "../sql/tables.js"
import { type OriginOf, recordedValues } from "./change-writes.js"
import type { Database } from "./engine/database.js"
import { rowChangeText } from "./row-changes.js"

export const postgresCategoryRepository = (tables: Tables, { layout, write }: Database, originOf: OriginOf) => {
  const plain = categoryRepository(tables)

  const record = (before: Category | undefined, after: Category | undefined, by: Actor | undefined) =>
    Effect.map(originOf(by), (origin) => [
      ...recordedValues(layout, new Map(), origin),
      touchedText(before && { category: before }),
      touchedText(after && { category: after }),
    ])

  return CategoryRepository.of({
    ...plain,

    replace: (category, former, by) =>
      Effect.gen(function* () {
        const seen = Option.getOrUndefined(former)
        if (seen?.name === category.name) return yield* plain.replace(category, former)
        const values = [category.id, category.name, ...(seen === undefined ? [] : [seen.name])]
        const change = rowChangeText(layout, seen === undefined ? "name_category" : "rename_category")
        return (yield* write(change, [...values, ...(yield* record(seen, category, by))])).length > 0
      }),

    remove: (former, by) =>
      Effect.gen(function* () {
        const rows = yield* write(rowChangeText(layout, "remove_category"), [
          former.id,
          former.name,
          ...(yield* record(former, undefined, by)),
        ])
        return rows.length > 0
      }),
  })
}
