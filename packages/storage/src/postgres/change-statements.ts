/**
 * The changes of one pet, order or category, as steps that each change one row. On one node, the steps are parts of one statement.
 * In a cluster, they are the statements of a function, because Citus carries out a data-modifying CTE on several tables on the
 * coordinator, row by row, and commits its parts separately. At the end, both raise the number of the pet's slot and store the
 * change under it.
 */
import {
  type Actor,
  type ChangeOperation,
  type OrderClosing,
  orderClosings,
  orderPlacement,
  orderReturn,
  type PetStatus,
  type Touched,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as EffectRecord from "effect/Record"
import { numberOfOperation, touchedText } from "../change-rows.js"
import { orderColumns, petColumns } from "../rows.js"
import { type OriginOf, orderJson, petJson, type Sides, sideOf, sidesOf } from "./change-writes.js"
import { prepared, type Text } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import type { Layout } from "./engine/layout.js"
import { claimTypes, keepClaim, takenClaim } from "./idempotency.js"
import { countMove, slotOf } from "./inventory-repository.js"
import { isReserved, isSeen, staysReserved } from "./pet-conditions.js"

interface Step {
  /** The name by which later SQL refers to the row, and its columns. */
  readonly name: string
  readonly columns: string
  /** SQL up to the last condition, and what follows. It begins with `FROM` if the row is only read. */
  readonly sql: string
  readonly end?: string
  /** A row that must not exist, as SQL from `FROM` on, or nothing. */
  readonly unless?: string
}

interface StoredChange extends Partial<Sides> {
  readonly operation: ChangeOperation
  /** The types of its parameters. Those of the record follow: time, actor, request and, unless they are SQL, both sides. */
  readonly types: string
  readonly steps: ReadonlyArray<Step>
  /** The step with the order that changes together with the row `pet`, and is the result. Otherwise, an identifier is the result. */
  readonly order?: string
  /** SQL for a pet's status before and after the change, if that may change what is counted. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The columns of `changes` in the order of `record_change`, after the slot and the identifier. */
export const recordColumns = "pet_id, operation, at, actor, request_id, before, after"

const qualified = (row: string, columns: string): string => columns.replaceAll(/\w+/g, (column) => `${row}.${column}`)

const replacePet = `UPDATE pets SET name = $5, category_id = $6, status = $7, words = $8 WHERE ${isSeen} AND ${staysReserved}`
const renameCategory = "UPDATE categories SET name = $2 WHERE id = $1 AND name = $3"

const petRow = `${qualified("pets", petColumns)}, slot`
const orderRow = qualified("orders", orderColumns)

const reserve = "UPDATE pets SET status = 'pending', reserved = true WHERE id = $1 AND status = 'available'"
const placed = "pet.id, 'placed', $2::int8, $2::int8, $3::text"

const laterSale = "FROM orders WHERE pet_id = sale.pet_id AND status = 'completed' AND id > $1"

const created = "$1::text, $2::int8, $3::text, $4::text, $5::int2"

const seen = "int8, text, int8, text"

const changesOn = (layout: Layout) => {
  const isOneNode = layout === "one node"
  /** What gives a statement the row of an earlier step. */
  const from = (name: string): string => (isOneNode ? `FROM ${name}` : "")
  /** A row of values, perhaps of an earlier step. Of `VALUES`, Citus can determine the row's node. */
  const row = (values: string, name?: string): string =>
    isOneNode ? `SELECT ${values} ${name === undefined ? "" : from(name)} WHERE true` : `VALUES (${values})`

  const pet = (sql: string, unless = "", end = ""): Step => ({ name: "pet", columns: petRow, sql, unless, end })
  const order = (name: string, sql: string, end = ""): Step => ({ name, columns: orderRow, sql, end })
  const category = (sql: string, end = ""): Step => ({ name: "category", columns: `id, ${slotOf("id")} AS slot`, sql, end })
  const claim = (place: number, made: string): Step => {
    const sql = keepClaim(place, (values) => row(values, made), `${made}.id`)
    return { name: "claim", columns: "resource_id AS id", sql }
  }

  /** A change of an order `name` and its pet, whose status moves. */
  const ofOrder = (operation: ChangeOperation, name: string, [one, other]: readonly [PetStatus, PetStatus], before?: string) => {
    const status = `'${one}'::text`
    return { operation, order: name, from: status, to: `'${other}'::text`, ...sidesOf(name, status, before) }
  }

  /** Reserves pet `$1`, and places an order for it with the time `$2` and the note `$3`. The values of a claim follow. */
  const place = (isClaimed: boolean): StoredChange => ({
    ...ofOrder("createOrder", "placed", [orderPlacement.from, orderPlacement.to]),
    types: `int8, int8, text${isClaimed ? `, ${claimTypes}` : ""}`,
    steps: [
      pet(reserve, isClaimed ? takenClaim(4) : ""),
      order("placed", `INSERT INTO orders (pet_id, status, created_at, updated_at, note) ${row(placed, "pet")}`),
      ...(isClaimed ? [claim(4, "placed")] : []),
    ],
  })

  /**
   * Closes order `$1` at time `$2`. The order is written first: a statement that finds the order closed does not change the pet,
   * which can have another order by then. A placed order was not changed since it was made.
   */
  const close = (closing: OrderClosing): StoredChange => {
    const { status, pet: to } = orderClosings[closing]
    const before = orderJson("closed", "'placed'::text", "closed.created_at")
    return {
      ...ofOrder(`${closing}Order`, "closed", [orderPlacement.to, to], before),
      types: "int8, int8",
      steps: [
        order("closed", `UPDATE orders SET status = '${status}', updated_at = $2 WHERE id = $1 AND status = 'placed'`),
        pet(`UPDATE pets SET status = '${to}', reserved = false ${from("closed")}
          WHERE pets.id = closed.pet_id AND pets.status = 'pending'`),
      ],
    }
  }

  /**
   * Returns order `$1` at time `$2`. The pet is the row that two returns of its orders, and a new order, wait for. A cluster
   * locks it before it looks for a later sale. Only a return changes a completed order's status.
   */
  const giveBack: StoredChange = {
    ...ofOrder("returnOrder", "returned", ["sold", orderReturn.pet], orderJson("sale")),
    types: "int8, int8",
    steps: [
      order("sale", "FROM orders WHERE id = $1 AND status = 'completed'", isOneNode ? "" : "FOR UPDATE"),
      ...(isOneNode ? [] : [pet("FROM pets WHERE id = sale.pet_id AND status = 'sold'", "", "FOR UPDATE")]),
      pet(`UPDATE pets SET status = 'available' ${from("sale")} WHERE pets.id = sale.pet_id AND pets.status = 'sold'`, laterSale),
      order("returned", `UPDATE orders SET status = 'returned', updated_at = $2 ${from("pet")} WHERE orders.id = $1`),
    ],
  }

  const createOnce: StoredChange = {
    operation: "createPet",
    types: `text, int8, text, text, int2, ${claimTypes}`,
    steps: [pet(`INSERT INTO pets (name, category_id, status, words, slot) ${row(created)}`, takenClaim(6)), claim(6, "pet")],
    to: "$3::text",
    before: "NULL",
    after: sideOf({ pet: petJson("pet") }),
  }

  /** Inserts pet `$1`, unless it exists or was restored after its removal `$7` in slot `$6`. Its orders may have got notes since then. */
  const restore = pet(
    `INSERT INTO pets (id, name, category_id, status, words, slot)
    ${row(`$1::int8, $2::text, $3::int8, $4::text, $5::text, ${isOneNode ? "$6::int2" : "0"}`)}`,
    `FROM changes WHERE slot = $6::int8 AND pet_id = $1 AND id > $7::int8 AND operation = ${numberOfOperation("restorePet")}`,
    "ON CONFLICT (id) DO NOTHING",
  )
  // If the pet was removed, its slot is that of its last change.
  const slotOfOrder = `coalesce((SELECT slot FROM pets WHERE pets.id = pet_id),
    (SELECT slot FROM changes WHERE changes.pet_id = orders.pet_id ORDER BY pet_id DESC, id DESC LIMIT 1), ${slotOf("pet_id")})`
  const note: Step = {
    name: "pet",
    columns: `pet_id AS id ${isOneNode ? `, ${slotOfOrder} AS slot` : ""}`,
    sql: "UPDATE orders SET note = $2 WHERE id = $1 AND status = $3 AND updated_at = $4 AND note IS NOT DISTINCT FROM $5",
  }
  const name = category(`INSERT INTO categories (id, name) ${row("$1::int8, $2::text")}`, "ON CONFLICT (id) DO NOTHING")

  /** A change of one row that the caller has seen, so that both sides are parameters. */
  const ofRow = (operation: ChangeOperation, step: Step, types: string, from?: string, to?: string): StoredChange => {
    return { operation, steps: [step], types, from, to }
  }

  return {
    place_order: place(false),
    place_order_once: place(true),
    complete_order: close("complete"),
    cancel_order: close("cancel"),
    return_order: giveBack,
    create_pet_once: createOnce,
    restore_pet: ofRow("restorePet", restore, `${seen}, text, int8, int8`, undefined, "$4::text"),
    replace_pet: ofRow("correctPet", pet(replacePet), `${seen}, text, int8, text, text`, "$4::text", "$7::text"),
    remove_pet: ofRow("removePet", pet(`DELETE FROM pets WHERE ${isSeen} AND NOT ${isReserved}`), seen, "$4::text"),
    note_order: ofRow("changeOrder", note, "int8, text, text, int8, text"),
    name_category: ofRow("replaceCategory", name, "int8, text"),
    rename_category: ofRow("replaceCategory", category(renameCategory), "int8, text, text"),
    remove_category: ofRow("removeCategory", category("DELETE FROM categories WHERE id = $1 AND name = $2"), "int8, text"),
  }
}

/** All types, and the values of the record after the slot, as SQL. */
const recordOf = ({ types, operation, steps, before, after }: StoredChange) => {
  const first = types.split(",").length + 1
  const [at, actor, requestId, ...sides] = ["int8", "int8", "text", "text", "text"].map(
    (type, index) => `$${first + index}::${type}`,
  )
  const about = steps.some(({ name }) => name === "category") ? "category" : "pet"
  return {
    about,
    parameters: `${types}, int8, int8, text${before === undefined ? ", text, text" : ""}`,
    values: [
      about === "category" ? "NULL" : `${about}.id`,
      ...[numberOfOperation(operation), at, actor, requestId, before ?? sides[0], after ?? sides[1]],
    ].join(),
  }
}

/** SQL of a step that returns its row. */
const sqlOf = ({ sql, end = "", columns }: Step, condition = "", into = ""): string =>
  sql.startsWith("FROM")
    ? `SELECT ${columns} ${into} ${sql} ${condition} ${end}`
    : `${sql} ${condition} ${end} RETURNING ${columns} ${into}`

const statementOf = (change: StoredChange): string => {
  const { steps, order, from, to } = change
  const { about, values } = recordOf(change)
  const parts = steps.map((step) => {
    const { name, unless = "" } = step
    return `${name} AS (${sqlOf(step, unless === "" ? "" : `AND NOT EXISTS (SELECT 1 ${unless})`)})`
  })
  const rows = steps.map(({ name }) => name).join()
  return `WITH ${parts.join()},
  counted AS (UPDATE inventory SET ${countMove(from, to)} FROM ${rows} WHERE inventory.slot = ${about}.slot
    RETURNING inventory.slot, last_change),
  changed AS (INSERT INTO changes (slot, id, ${recordColumns}) SELECT counted.slot, last_change, ${values} FROM counted, ${rows})
  ${order === undefined ? `SELECT id FROM ${about}` : `SELECT ${qualified(order, orderColumns)}, pet.id FROM ${order} LEFT JOIN pet ON true`}`
}

/** SQL that makes a function of a cluster. */
export const plpgsql = (head: string, declared: string, body: string): string =>
  `CREATE OR REPLACE FUNCTION ${head} LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE ${declared}
  BEGIN
    ${body}
  END $$`

/** If there is no row after another one was written, the change fails, so that all of it is undone. */
const functionOf = (change: StoredChange, name: string): string => {
  const { steps, order } = change
  const { about, parameters, values } = recordOf(change)
  const first = steps.findIndex(({ sql }) => !sql.startsWith("FROM"))
  const parts = steps.map((step, index) => {
    const { name: row, unless = "" } = step
    const guard = unless === "" ? "" : `PERFORM 1 ${unless}; IF FOUND THEN RETURN; END IF;`
    return `${guard} ${sqlOf(step, "", `INTO ${row}`)};
    IF NOT FOUND THEN ${index > first ? `RAISE 'There is no ${row} for ${name}(%).', $1` : "RETURN"}; END IF;`
  })
  const declared = new Set(steps.map((step) => `${step.name} record;`))
  return plpgsql(
    `${name}(${parameters}) RETURNS SETOF ${order === undefined ? "int8" : "orders"}`,
    [...declared].join(" "),
    `${parts.join("\n    ")}
    PERFORM record_change(change_slot(${about}.id), ${values});
    RETURN NEXT ${order ?? `${about}.id`};`,
  )
}

/** The functions of a cluster that make the changes. They call `record_change`. */
export const changeFunctions = (): ReadonlyArray<string> => Object.values(EffectRecord.map(changesOn("spread"), functionOf))

/** A statement that calls a function of the cluster with a number of values. */
export const call = (name: string, values: number, columns = "*"): string =>
  `SELECT ${columns} FROM ${name}(${Array.from({ length: values }, (_, index) => `$${index + 1}`).join(", ")})`

export type ChangeTexts = Readonly<Record<keyof ReturnType<typeof changesOn>, Text>>

/** The statements that make the changes. Their values are those of the change, its origin and, of one row, both sides. */
export const changeTexts = (layout: Layout): ChangeTexts =>
  EffectRecord.map(changesOn(layout), (change, name) =>
    layout === "one node"
      ? prepared(name, statementOf(change))
      : call(name, recordOf(change).parameters.split(",").length, change.order === undefined ? "*" : orderColumns),
  )

/** Who changes a row that the caller has seen, and what was before and after the change. */
interface Recording {
  readonly by: Actor | undefined
  readonly before?: Touched | undefined
  readonly after?: Touched | undefined
}

/** Returns the function that changes one row with the values of the change. Its result is whether there was the row. */
export const rowChanger = ({ layout, write }: Database, originOf: OriginOf) => {
  const texts = changeTexts(layout)
  return (name: keyof ChangeTexts, values: ReadonlyArray<unknown>, { by, before, after }: Recording) =>
    originOf(by).pipe(
      Effect.flatMap((origin) => write(texts[name], [...values, ...origin, touchedText(before), touchedText(after)])),
      Effect.map((rows) => rows.length > 0),
    )
}
