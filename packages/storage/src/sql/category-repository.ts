/** Categories in SQLite and PostgreSQL. Every change is a compare-and-set on the name. */
import { CategoryRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AppValue } from "../app-table.js"
import { categoryColumns, categoryOfRow } from "../rows.js"
import { allOf, oneOf, type Tables } from "./tables.js"

export const categoryRepository = ({ read, write }: Tables) => {
  const changes = (sql: string, values: ReadonlyArray<AppValue>) =>
    Effect.map(write(`${sql} RETURNING id`, values), (rows) => rows.length === 1)

  return CategoryRepository.of({
    replace: ({ id, name }, former) =>
      Option.isNone(former)
        ? changes(`INSERT INTO categories (${categoryColumns}) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`, [id, name])
        : changes("UPDATE categories SET name = ? WHERE id = ? AND name = ?", [name, id, former.value.name]),

    remove: ({ id, name }) => changes("DELETE FROM categories WHERE id = ? AND name = ?", [id, name]),

    find: (id) => oneOf(read(`SELECT ${categoryColumns} FROM categories WHERE id = ?`, [id]), categoryOfRow),

    // Callers choose the identifiers, which can include the smallest 64-bit integer, so the first page has no lower bound.
    list: ({ after, limit }) => {
      const from = Option.isNone(after) ? "" : "WHERE id > ?"
      const sql = `SELECT ${categoryColumns} FROM categories ${from} ORDER BY id LIMIT ?`
      return allOf(read(sql, [...Option.toArray(after), limit]), categoryOfRow)
    },
  })
}
