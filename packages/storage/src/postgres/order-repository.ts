/** An order and its pet change in one compare-and-set statement. A second caller waits for the row, then finds nothing to set. */
import {
  type Actor,
  checkClosing,
  maxInt64,
  minInt64,
  type Order,
  OrderClosed,
  type OrderClosing,
  type OrderId,
  OrderNotFound,
  type OrderRefusal,
  OrderRepository,
  type OrderStatus,
  orderClosings,
  orderPlacement,
  orderReturn,
  orderStatuses,
  type PetId,
  type PetOrder,
  type PetStatus,
  StorageUnavailable,
  type ValidNewOrder,
} from "@petstore/core"
import { withNote } from "@petstore/core/internal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { firstOrder, orderColumns, orderOfRow, orderRefusalOf, petColumns, resultOfReturn } from "../rows.js"
import { allOf, oneOf } from "../sql/tables.js"
import { type OriginOf, orderJson, recorded, recordedValues, sidesOf } from "./change-writes.js"
import { confirmPetOf, notShown } from "./confirm-pet.js"
import { prepared, type Row } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { claimIsFree, claimLength, claimValues, keepClaim, underClaim } from "./idempotency.js"
import { moveIn } from "./inventory-repository.js"
import { ordersInTurn } from "./orders-in-turn.js"
import { pagesOf } from "./pages.js"
import { call, rowChanger } from "./row-changes.js"

const page = pagesOf("orders", orderColumns)

const qualified = (row: string, columns: string): string => columns.replaceAll(/\w+/g, (column) => `${row}.${column}`)

/**
 * Reserves pet `$1` by changing its status from `$2` to `$3`, and places an order for it with the time `$4` and the note `$5`.
 * Returns no row for a refusal, which needs another statement. The values of a claim are behind the note.
 */
const insert = (isClaimed: boolean): string => `WITH pet AS (
    UPDATE pets SET status = $3, reserved = true
    WHERE id = $1 AND status = $2 ${isClaimed ? `AND ${claimIsFree(6)}` : ""} RETURNING ${petColumns}, slot
  ), placed AS (
    INSERT INTO orders (pet_id, status, created_at, updated_at, note)
    SELECT id, 'placed', $4::int8, $4::int8, $5::text FROM pet RETURNING ${orderColumns}
  ), ${isClaimed ? `claimed AS (${keepClaim(6, "placed")} RETURNING resource_id),` : ""}
  ${recorded(isClaimed ? 6 + claimLength : 6, {
    operation: "createOrder",
    source: "pet",
    others: isClaimed ? ["placed", "claimed"] : ["placed"],
    ...sidesOf("placed", "$2::text"),
  })}
  SELECT ${orderColumns} FROM placed`

/**
 * Closes order `$1` with status `$2` at time `$3`, and changes its pet's status from `$4` to `$5`. Returns the order, and the pet
 * if its status was `$4`. The order is written first: a statement that finds the order closed does not change the pet, which can
 * have another order by then. A placed order was not changed since it was made.
 */
const close = (closing: OrderClosing): string => `WITH closed AS (
    UPDATE orders SET status = $2, updated_at = $3 WHERE id = $1 AND status = 'placed' RETURNING ${orderColumns}
  ), pet AS (
    UPDATE pets SET status = CASE pets.status WHEN $4 THEN $5 ELSE pets.status END, reserved = false
    FROM closed WHERE pets.id = closed.pet_id RETURNING ${qualified("pets", petColumns)}, slot
  ), ${recorded(6, {
    operation: `${closing}Order`,
    source: "pet",
    others: ["closed"],
    ...sidesOf("closed", "$4::text", orderJson("closed", "'placed'::text", "closed.created_at")),
  })}
  SELECT ${qualified("closed", orderColumns)}, CASE pet.status WHEN $5 THEN pet.id END FROM closed, pet`

/**
 * Returns order `$1` at time `$2`. The pet is written first: it is the one that two returns of its orders, and a new order, wait
 * for. Only a return changes a completed order's status.
 */
const giveBack = `WITH pet AS (
    UPDATE pets SET status = '${orderReturn.pet}' FROM orders AS sale
    WHERE sale.id = $1 AND sale.status = 'completed' AND pets.id = sale.pet_id AND pets.status = 'sold'
      AND NOT EXISTS (SELECT 1 FROM orders AS later
        WHERE later.pet_id = sale.pet_id AND later.status = 'completed' AND later.id > sale.id)
    RETURNING ${qualified("pets", petColumns)}, slot, sale.updated_at AS sold_at
  ), returned AS (
    UPDATE orders SET status = '${orderReturn.status}', updated_at = $2 FROM pet WHERE orders.id = $1
    RETURNING ${qualified("orders", orderColumns)}
  ), ${recorded(3, {
    operation: "returnOrder",
    source: "pet",
    others: ["returned"],
    ...sidesOf("returned", "'sold'::text", orderJson("returned", "'completed'::text", "pet.sold_at")),
  })}
  SELECT ${orderColumns} FROM returned`

const texts = {
  "one node": {
    insert: prepared("order", insert(false)),
    insertOnce: prepared("order once", insert(true)),
    complete: prepared("complete order", close("complete")),
    cancel: prepared("cancel order", close("cancel")),
    giveBack: prepared("return order", giveBack),
  },
  spread: {
    insert: call("place_order", 8, orderColumns),
    insertOnce: call("place_order_once", 14, orderColumns),
    complete: call("complete_order", 8, orderColumns),
    cancel: call("cancel_order", 8, orderColumns),
    giveBack: call("return_order", 5, orderColumns),
  },
}

/** Finds an order by writing the order unchanged. As with a claim, an earlier change might not have reached the standbys. */
const confirm = prepared("confirm order", `UPDATE orders SET updated_at = updated_at WHERE id = $1 RETURNING ${orderColumns}`)

const findText = prepared("find order", `SELECT ${orderColumns} FROM orders WHERE id = $1`)

const findPet = prepared("status of ordered pet", "SELECT status FROM pets WHERE id = $1")

/** A page of a pet's orders with one status. The status is in the text, so that no orders with other statuses are read. */
const ordersOf = (status: OrderStatus, follows: string, order: PetOrder): string =>
  `SELECT ${orderColumns} FROM orders
   WHERE (pet_id, status, id) ${follows} ($1, '${status}', $2) AND (pet_id, status) ${order === "asc" ? "<=" : ">="} ($1, '${status}')
   ORDER BY pet_id ${order}, status ${order}, id ${order} LIMIT $3`

/** How many times closing an order is attempted while the order becomes visible. */
const closingMaximum = 3

export const postgresOrderRepository = (database: Database, originOf: OriginOf) => {
  const { layout, read, write } = database
  const text = texts[layout]
  const changeRow = rowChanger(database, originOf)

  /** The last values of a statement that moves a pet and records the change. */
  const recordOf = (from: PetStatus, to: PetStatus, by: Actor | undefined) =>
    Effect.map(originOf(by), (origin) => recordedValues(layout, moveIn(new Map(), from, to), origin))

  /** The values of a new order, with those of its claim if it has one. */
  const placement = (
    { petId, note }: ValidNewOrder,
    at: Date,
    by: Actor | undefined,
    claimed: ReadonlyArray<unknown> = [],
  ): Effect.Effect<ReadonlyArray<unknown>, StorageUnavailable> =>
    Effect.map(recordOf(orderPlacement.from, orderPlacement.to, by), (record) => [
      ...[petId, orderPlacement.from, orderPlacement.to, at.getTime(), note ?? null],
      ...claimed,
      ...record,
    ])
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)

  const placedIn = (row: Row | undefined, petId: PetId): Effect.Effect<Order, OrderRefusal | StorageUnavailable> =>
    row === undefined
      ? Effect.flatMap(read(findPet, [petId]), ([pet]) => orderRefusalOf(pet, petId))
      : Effect.succeed(orderOfRow(row))

  const insertInTurn = ordersInTurn(({ order, createdAt, by }, arrivedAtMillis) =>
    placement(order, createdAt, by).pipe(
      Effect.flatMap((values) => write(text.insert, values, arrivedAtMillis)),
      Effect.flatMap(([row]) => placedIn(row, order.petId)),
    ),
  )

  /** Finds an order of which a change found nothing to do. */
  const confirmed = (id: OrderId, arrivedAtMillis: number) =>
    Effect.flatMap(write(confirm, [id], arrivedAtMillis), ([row]) =>
      row === undefined ? new OrderNotFound({ orderId: id }) : Effect.succeed(orderOfRow(row)),
    )

  return OrderRepository.of({
    insert: (order, createdAt, by) => insertInTurn({ order, createdAt, by }),

    insertOnce: (order, claim, by) =>
      Effect.gen(function* () {
        const values = yield* placement(order, claim.claimedAt, by, claimValues(claim))
        const made = yield* once(text.insertOnce, values, claim)
        if (made.outcome !== "repeated") return { value: yield* placedIn(made.rows[0], order.petId), isNew: true }
        // Safe: the result of a claim for this operation is an order.
        const id = made.resourceId as OrderId
        const [row] = yield* read(findText, [id])
        if (row === undefined) return yield* notShown("Order", id)
        const placed = orderOfRow(row)
        yield* confirmPet(placed.petId)
        return { value: firstOrder(placed, order), isNew: false }
      }),

    close: (id, closing, closedAt, by) =>
      Effect.gen(function* () {
        const arrivedAtMillis = performance.now()
        const { status, pet } = orderClosings[closing]
        const values = [id, status, closedAt.getTime(), orderPlacement.to, pet, ...(yield* recordOf(orderPlacement.to, pet, by))]
        for (let count = 0; count < closingMaximum; count += 1) {
          const [row] = yield* write(text[closing], values, arrivedAtMillis)
          if (row !== undefined) {
            // A placed order's pet is pending until the order is closed.
            if (row[6] === null)
              return yield* Effect.dieMessage(`Pet ${row[1]} was not pending, although order ${id} for it is placed.`)
            return orderOfRow(row)
          }
          const order = yield* confirmed(id, arrivedAtMillis)
          const effect = checkClosing(closing, order.status)
          if (effect === "repeats") return yield* Effect.as(confirmPet(order.petId), order)
          if (effect === "refused") return yield* new OrderClosed({ orderId: id, status: order.status })
          // The order was committed between the two statements.
        }
        return yield* new StorageUnavailable({ cause: new Error(`Order ${id} is placed but could not be closed`) })
      }),

    giveBack: (id, returnedAt, by) =>
      Effect.gen(function* () {
        const arrivedAtMillis = performance.now()
        const record = yield* recordOf("sold", orderReturn.pet, by)
        const [row] = yield* write(text.giveBack, [id, returnedAt.getTime(), ...record], arrivedAtMillis)
        if (row !== undefined) return orderOfRow(row)
        const order = yield* confirmed(id, arrivedAtMillis)
        const returned = yield* resultOfReturn(order)
        return yield* Effect.as(confirmPet(order.petId), returned)
      }),

    setNote: (seen, note, by) => {
      const values = [seen.id, note ?? null, seen.status, seen.updatedAt.getTime(), seen.note ?? null]
      return changeRow("note_order", values, { by, before: { order: seen }, after: { order: withNote(seen, note) } })
    },

    find: (id) => oneOf(read(findText, [id]), orderOfRow),

    list: ({ status, petId, order = "asc", after, limit }) => {
      if (petId === undefined) return allOf(read(...page({ status, order, after, limit })), orderOfRow)
      const isUp = order === "asc"
      const follows = `${isUp ? ">" : "<"}${Option.isNone(after) ? "=" : ""}`
      const text = Option.match(status, {
        onNone: () =>
          `${orderStatuses.map((one) => `(${ordersOf(one, follows, order)})`).join(" UNION ALL ")} ORDER BY id ${order} LIMIT $3`,
        onSome: (one) => ordersOf(one, follows, order),
      })
      return allOf(read(text, [petId, Option.getOrElse(after, () => (isUp ? minInt64 : maxInt64)), limit]), orderOfRow)
    },
  })
}
