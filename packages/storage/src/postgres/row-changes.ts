/**
 * Changes of one row that the caller has seen, so that both sides are parameters. On one node, a statement makes the change and
 * records it; in a cluster, a function with the same SQL does: see `spread-changes.ts`.
 */
import type { Actor, ChangeOperation, StorageUnavailable, Touched } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as EffectRecord from "effect/Record"
import { touchedText } from "../change-rows.js"
import { type OriginOf, recorded, recordedLength, recordedValues } from "./change-writes.js"
import { prepared, type Text } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"
import { slotOf, type Tally } from "./inventory-repository.js"
import { isReserved, isSeen, staysReserved } from "./pet-conditions.js"

export interface RowChange {
  readonly operation: ChangeOperation
  /** Changes the row `$1`, or none. */
  readonly sql: string
  /** The types of its parameters. */
  readonly types: ReadonlyArray<string>
  readonly isOfPet: boolean
  /** The column with the identifier whose slot has the change, and that slot on one node. */
  readonly id: string
  readonly slot: string
}

const makeChange =
  (id: string, slot: string, isOfPet = true) =>
  (operation: ChangeOperation, sql: string, ...types: ReadonlyArray<"int8" | "text">): RowChange => ({
    operation,
    sql,
    types,
    isOfPet,
    id,
    slot,
  })
const ofPet = makeChange("id", "slot")
/** If the pet was removed, its slot is that of its last change. */
const ofOrder = makeChange(
  "pet_id",
  `coalesce((SELECT slot FROM pets WHERE id = pet_id),
    (SELECT slot FROM changes WHERE changes.pet_id = orders.pet_id ORDER BY id DESC LIMIT 1), ${slotOf("pet_id")})`,
)
const ofCategory = makeChange("id", slotOf("id"), false)

export const replacePet = `UPDATE pets SET name = $5, category_id = $6, status = $7, words = $8 WHERE ${isSeen} AND ${staysReserved}`
const removePet = `DELETE FROM pets WHERE ${isSeen} AND NOT ${isReserved}`
const noteOrder = `UPDATE orders SET note = $2
  WHERE id = $1 AND status = $3 AND updated_at = $4 AND note IS NOT DISTINCT FROM $5`
const nameCategory = "INSERT INTO categories (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING"
export const renameCategory = "UPDATE categories SET name = $2 WHERE id = $1 AND name = $3"
const removeCategory = "DELETE FROM categories WHERE id = $1 AND name = $2"

export const rowChanges = {
  replace_pet: ofPet("correctPet", replacePet, "int8", "text", "int8", "text", "text", "int8", "text", "text"),
  remove_pet: ofPet("removePet", removePet, "int8", "text", "int8", "text"),
  note_order: ofOrder("changeOrder", noteOrder, "int8", "text", "text", "int8", "text"),
  name_category: ofCategory("replaceCategory", nameCategory, "int8", "text"),
  rename_category: ofCategory("replaceCategory", renameCategory, "int8", "text", "text"),
  remove_category: ofCategory("removeCategory", removeCategory, "int8", "text"),
}

const statement = ({ operation, sql, types, isOfPet, id, slot }: RowChange): string => {
  const place = types.length + 1
  const [before = "", after = ""] = [0, 1].map((index) => `$${place + recordedLength + index}::text`)
  return `WITH written AS (${sql} RETURNING ${id} AS id, ${slot} AS slot),
  ${recorded(place, { operation, source: "written", petId: isOfPet ? "written.id" : "NULL", before, after })}
  SELECT id FROM written`
}

const textsFor = (layout: Layout): Readonly<Record<keyof typeof rowChanges, Text>> =>
  EffectRecord.map(rowChanges, (change, name) =>
    layout === "one node" ? prepared(name, statement(change)) : call(name, change.types.length + 5),
  )

/** Who changes a row, what was before and after the change, and how it moves a pet in the inventory. */
interface Recording {
  readonly by: Actor | undefined
  readonly before?: Touched | undefined
  readonly after?: Touched | undefined
  readonly tally?: Tally
}

export type ChangeRow = (
  name: keyof typeof rowChanges,
  values: ReadonlyArray<unknown>,
  recording: Recording,
) => Effect.Effect<boolean, StorageUnavailable>

/** Returns the function that makes a change with the values of its own parameters. Its result is whether there was the row. */
export const rowChanger = ({ layout, write }: Database, originOf: OriginOf): ChangeRow => {
  const texts = textsFor(layout)
  return (name, values, { by, before, after, tally = new Map() }) =>
    Effect.gen(function* () {
      const record = recordedValues(layout, tally, yield* originOf(by))
      const rows = yield* write(texts[name], [...values, ...record, touchedText(before), touchedText(after)])
      return rows.length > 0
    })
}

/** A statement that calls a function of the cluster with a number of values. */
export const call = (name: string, values: number, columns = "*"): string =>
  `SELECT ${columns} FROM ${name}(${Array.from({ length: values }, (_, index) => `$${index + 1}`).join(", ")})`
