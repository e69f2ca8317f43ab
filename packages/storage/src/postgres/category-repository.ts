/** A category's change is in the slot that its identifier determines. */
import { CategoryRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { categoryReads } from "../sql/category-reads.js"
import type { Tables } from "../sql/tables.js"
import { rowChanger } from "./change-statements.js"
import type { OriginOf } from "./change-writes.js"
import type { Database } from "./engine/database.js"

export const postgresCategoryRepository = (tables: Tables, database: Database, originOf: OriginOf) => {
  const reads = categoryReads(tables)
  const changeRow = rowChanger(database, originOf)

  return CategoryRepository.of({
    ...reads,

    replace: (category, former, by) => {
      const { id, name } = category
      if (Option.isNone(former)) return changeRow("name_category", [id, name], { by, after: { category } })
      const seen = former.value
      return seen.name === name
        ? Effect.map(
            reads.find(id),
            Option.exists((found) => found.name === name),
          )
        : changeRow("rename_category", [id, name, seen.name], { by, before: { category: seen }, after: { category } })
    },

    remove: (former, by) => changeRow("remove_category", [former.id, former.name], { by, before: { category: former } }),
  })
}
