import { type Actor, type Category, CategoryRepository } from "@petstore/core"
import * as Option from "effect/Option"
import { categoryReads } from "../sql/category-reads.js"
import type { Tables } from "../sql/tables.js"
import type { RecordChange } from "./change-writes.js"
import type { Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"

export const categoryWrites = ({ prepare }: Statements, record: RecordChange) => {
  const insert = prepare("INSERT INTO categories (id, name) VALUES (?, ?) ON CONFLICT (id) DO NOTHING")
  const update = prepare("UPDATE categories SET name = ? WHERE id = ? AND name = ?")
  const remove = prepare("DELETE FROM categories WHERE id = ? AND name = ?")

  return {
    replaceCategory: (category: Category, former: Category | undefined, by: Actor | undefined): boolean => {
      const { id, name } = category
      const { changes } = former === undefined ? insert.run(id, name) : update.run(name, id, former.name)
      if (changes === 1n && former?.name !== name) record("replaceCategory", by, former && { category: former }, { category })
      return changes === 1n
    },

    removeCategory: (category: Category, by: Actor | undefined): boolean => {
      const { changes } = remove.run(category.id, category.name)
      if (changes === 1n) record("removeCategory", by, { category }, undefined)
      return changes === 1n
    },
  }
}

export const sqliteCategoryRepository = (tables: Tables, { writes }: Database<ReturnType<typeof categoryWrites>>) =>
  CategoryRepository.of({
    ...categoryReads(tables),
    replace: (category, former, by) => writes.replaceCategory(category, Option.getOrUndefined(former), by),
    remove: (former, by) => writes.removeCategory(former, by),
  })
