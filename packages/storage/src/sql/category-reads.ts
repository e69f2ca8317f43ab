/** Reads categories in SQLite and PostgreSQL. */
import type { CategoryRepository } from "@petstore/core"
import * as Option from "effect/Option"
import { categoryColumns, categoryOfRow } from "../rows.js"
import { allOf, oneOf, type Tables } from "./tables.js"

export const categoryReads = ({ read }: Tables): Pick<CategoryRepository["Type"], "find" | "list"> => ({
  find: (id) => oneOf(read(`SELECT ${categoryColumns} FROM categories WHERE id = ?`, [id]), categoryOfRow),

  // Callers choose the identifiers, which can include the smallest 64-bit integer, so the first page has no lower bound.
  list: ({ after, limit }) => {
    const from = Option.isNone(after) ? "" : "WHERE id > ?"
    const sql = `SELECT ${categoryColumns} FROM categories ${from} ORDER BY id LIMIT ?`
    return allOf(read(sql, [...Option.toArray(after), limit]), categoryOfRow)
  },
})
