/**
 * Changes of one row that the caller has seen, so that both sides are parameters. On one node, a statement makes the change and
 * records it; in a cluster, a function with the same SQL does: see `spread-changes.ts`.
 */
import type { ChangeOperation } from "@petstore/core"
import { recorded, recordedLength } from "./change-writes.js"
import { prepared, type Text } from "./engine/connection.js"
import type { Layout } from "./engine/layout.js"
import { slotOf } from "./inventory-repository.js"
import { isReserved, isSeen, staysReserved } from "./pet-conditions.js"

export interface RowChange {
  readonly operation: ChangeOperation
  /** Changes the row `$1`, or none. */
  readonly sql: string
  /** The types of its parameters. */
  readonly types: ReadonlyArray<string>
  readonly isOfPet: boolean
}

const makeChange =
  (isOfPet: boolean) =>
  (operation: ChangeOperation, sql: string, ...types: ReadonlyArray<"int8" | "text">): RowChange => ({
    operation,
    sql,
    types,
    isOfPet,
  })
const ofPet = makeChange(true)
const ofCategory = makeChange(false)

export const replacePet = `UPDATE pets SET name = $5, category_id = $6, status = $7, words = $8 WHERE ${isSeen} AND ${staysReserved}`
const removePet = `DELETE FROM pets WHERE ${isSeen} AND NOT ${isReserved}`
const nameCategory = "INSERT INTO categories (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING"
const renameCategory = "UPDATE categories SET name = $2 WHERE id = $1 AND name = $3"
const removeCategory = "DELETE FROM categories WHERE id = $1 AND name = $2"

export const rowChanges = {
  replace_pet: ofPet("correctPet", replacePet, "int8", "text", "int8", "text", "text", "int8", "text", "text"),
  remove_pet: ofPet("removePet", removePet, "int8", "text", "int8", "text"),
  name_category: ofCategory("replaceCategory", nameCategory, "int8", "text"),
  rename_category: ofCategory("replaceCategory", renameCategory, "int8", "text", "text"),
  remove_category: ofCategory("removeCategory", removeCategory, "int8", "text"),
}

const statement = ({ operation, sql, types, isOfPet }: RowChange): string => {
  const place = types.length + 1
  const [before = "", after = ""] = [0, 1].map((index) => `$${place + recordedLength + index}::text`)
  const [slot, petId] = isOfPet ? ["slot", "written.id"] : [slotOf("id"), "NULL"]
  return `WITH written AS (${sql} RETURNING id, ${slot} AS slot),
  ${recorded(place, { operation, source: "written", petId, before, after })}
  SELECT id FROM written`
}

/** Text that makes a change. Behind the change's own parameters are the `recordedValues`, and the two sides. */
export const rowChangeText = (layout: Layout, name: keyof typeof rowChanges): Text =>
  layout === "one node" ? prepared(name, statement(rowChanges[name])) : call(name, rowChanges[name].types.length + 5)

/** A statement that calls a function of the cluster with a number of values. */
export const call = (name: string, values: number, columns = "*"): string =>
  `SELECT ${columns} FROM ${name}(${Array.from({ length: values }, (_, index) => `$${index + 1}`).join(", ")})`
