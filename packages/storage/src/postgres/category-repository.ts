/** A category's change is in the slot that its identifier determines. */
import { type Actor, type Category, CategoryRepository, type ChangeOperation } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { touchedText } from "../change-rows.js"
import { categoryColumns } from "../rows.js"
import { categoryRepository } from "../sql/category-repository.js"
import type { Tables } from "../sql/tables.js"
import { type OriginOf, recorded, recordedLength, recordedValues } from "./change-writes.js"
import type { Database } from "./engine/database.js"
import { slotOf } from "./inventory-repository.js"
import { call } from "./spread-changes.js"

const recording = (
  operation: ChangeOperation,
  change: string,
  place: number,
): string => `WITH written AS (${change} RETURNING id),
  category AS (SELECT id, ${slotOf("id")} AS slot FROM written), ${recorded(place, {
    operation,
    source: "category",
    petId: "NULL",
    before: `$${place + recordedLength}::text`,
    after: `$${place + recordedLength + 1}::text`,
  })}
  SELECT id FROM category`

const insert = recording(
  "replaceCategory",
  `INSERT INTO categories (${categoryColumns}) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
  3,
)

const update = recording("replaceCategory", "UPDATE categories SET name = $2 WHERE id = $1 AND name = $3", 4)

const remove = recording("removeCategory", "DELETE FROM categories WHERE id = $1 AND name = $2", 3)

const texts = {
  "one node": { insert, update, remove },
  spread: { insert: call("name_category", 7), update: call("rename_category", 8), remove: call("remove_category", 7) },
}

export const postgresCategoryRepository = (tables: Tables, { layout, write }: Database, originOf: OriginOf) => {
  const plain = categoryRepository(tables)
  const text = texts[layout]

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
        const change = seen === undefined ? text.insert : text.update
        return (yield* write(change, [...values, ...(yield* record(seen, category, by))])).length > 0
      }),

    remove: (former, by) =>
      Effect.gen(function* () {
        const rows = yield* write(text.remove, [former.id, former.name, ...(yield* record(former, undefined, by))])
        return rows.length > 0
      }),
  })
}
