/** An order and its pet change in one compare-and-set statement. A second caller waits for the row, then finds nothing to set. */
import {
  checkClosing,
  maxInt64,
  minInt64,
  type Order,
  OrderClosed,
  type OrderId,
  OrderNotFound,
  type OrderRefusal,
  OrderRepository,
  type OrderStatus,
  orderClosings,
  orderPlacement,
  orderStatuses,
  type PetId,
  type PetOrder,
  type PetStatus,
  StorageUnavailable,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { orderColumns, orderOfRow, orderRefusalOf } from "../rows.js"
import { allOf, oneOf } from "../sql/tables.js"
import { confirmPetOf, notShown } from "./confirm-pet.js"
import { prepared, type Row } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { claimIsFree, claimValues, keepClaim, underClaim } from "./idempotency.js"
import { addToSlot, anySlot, keepsInventory } from "./inventory-repository.js"
import { ordersInTurn } from "./orders-in-turn.js"
import { pagesOf } from "./pages.js"

const page = pagesOf("orders", orderColumns)

/** Reserves pet `$1`, and changes its status from `$2` to `$3`. */
const take = (condition = ""): string => `pet AS (
    UPDATE pets SET status = $3, reserved = true WHERE id = $1 AND status = $2 ${condition} RETURNING id
  )`

/** A CTE that counts the pet in `source` under another status, in slot `$slot`. It is the first write after `source`. */
const counting = (slot: number, from: PetStatus, to: PetStatus, source: string): string =>
  `, counted AS (${addToSlot(slot, { [from]: "-1", [to]: "1" }, source)})`

const countTaken = (isCounted: boolean, slot: number): string =>
  isCounted ? counting(slot, orderPlacement.from, orderPlacement.to, "pet") : ""

/** Inserts an order for the changed pet, with the time `$4`; inserts nothing if the pet had a different status. */
const make = `INSERT INTO orders (pet_id, status, created_at, updated_at)
    SELECT id, 'placed', $4::int8, $4::int8 FROM pet
    RETURNING ${orderColumns}`

/** Returns no row for a refusal, which needs another statement. The last write is not a CTE, because a CTE's rows are copied. */
const insert = (isCounted: boolean): string => `WITH ${take()}${countTaken(isCounted, 5)} ${make}`

const insertOnce = (isCounted: boolean): string => `WITH ${take(`AND ${claimIsFree(5)}`)}${countTaken(isCounted, 11)},
  placed AS (${make}), claimed AS (${keepClaim(5, "placed")} RETURNING resource_id)
  SELECT ${orderColumns} FROM placed`

/**
 * Closes order `$1` with status `$2` at time `$3`, and changes its pet's status from `$4` to `$5`. Returns the order, and the pet
 * if its status was `$4`. The order is written first: a statement that finds the order closed does not change the pet, which can
 * have another order by then.
 */
const close = (to: PetStatus): string => `WITH closed AS (
    UPDATE orders SET status = $2, updated_at = $3 WHERE id = $1 AND status = 'placed' RETURNING ${orderColumns}
  )${counting(6, orderPlacement.to, to, "closed")}
  UPDATE pets SET status = CASE pets.status WHEN $4 THEN $5 ELSE pets.status END, reserved = false
  FROM closed WHERE pets.id = closed.pet_id
  RETURNING closed.id, closed.pet_id, closed.status, closed.created_at, closed.updated_at, CASE pets.status WHEN $5 THEN pets.id END`

/**
 * The same change for a cluster, as a function. Citus commits the statement above on each node separately, so losing a node could
 * lose half of the change. Citus uses a two-phase commit if two statements in a transaction change two nodes.
 */
export const makeCloseOrder = `CREATE OR REPLACE FUNCTION close_order(int8, text, int8, text, text)
  RETURNS SETOF orders LANGUAGE plpgsql AS $$
  DECLARE closed orders;
  BEGIN
    UPDATE orders SET status = $2, updated_at = $3 WHERE id = $1 AND status = 'placed' RETURNING * INTO closed;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE pets SET status = $5, reserved = false WHERE id = closed.pet_id AND status = $4;
    IF NOT FOUND THEN RAISE 'The pet % of the placed order % was not pending.', closed.pet_id, closed.id; END IF;
    RETURN NEXT closed;
  END $$`

const closeSpread = `SELECT ${orderColumns} FROM close_order($1, $2, $3, $4, $5)`

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

export const postgresOrderRepository = (database: Database) => {
  const { layout, read, write } = database
  const isCounted = keepsInventory(layout)
  const insertText = prepared("order", insert(isCounted))
  const insertOnceText = prepared("order once", insertOnce(isCounted))
  const closeText = (to: PetStatus) => (isCounted ? prepared(`close order, pet ${to}`, close(to)) : closeSpread)
  /** The last value of a statement that counts: the slot. */
  const slot = () => (isCounted ? [anySlot()] : [])
  /** The values of a new order, with those of its claim if it has one. */
  const placement = (petId: PetId, at: Date, claimed: ReadonlyArray<unknown> = []) => [
    petId,
    orderPlacement.from,
    orderPlacement.to,
    at.getTime(),
    ...claimed,
    ...slot(),
  ]
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)

  const placedIn = (row: Row | undefined, petId: PetId): Effect.Effect<Order, OrderRefusal | StorageUnavailable> =>
    row === undefined
      ? Effect.flatMap(read(findPet, [petId]), ([pet]) => orderRefusalOf(pet, petId))
      : Effect.succeed(orderOfRow(row))

  const insertInTurn = ordersInTurn((petId, createdAt, arrivedAtMillis) =>
    Effect.flatMap(write(insertText, placement(petId, createdAt), arrivedAtMillis), ([row]) => placedIn(row, petId)),
  )

  return OrderRepository.of({
    insert: ({ petId }, createdAt) => insertInTurn(petId, createdAt),

    insertOnce: ({ petId }, claim) =>
      Effect.gen(function* () {
        const made = yield* once(insertOnceText, placement(petId, claim.claimedAt, claimValues(claim)), claim)
        if (made.outcome !== "repeated") return { value: yield* placedIn(made.rows[0], petId), isNew: true }
        // Safe: the result of a claim for this operation is an order.
        const id = made.resourceId as OrderId
        const [row] = yield* read(findText, [id])
        if (row === undefined) return yield* notShown("Order", id)
        const order = orderOfRow(row)
        yield* confirmPet(order.petId)
        return { value: { ...order, status: "placed", updatedAt: order.createdAt }, isNew: false }
      }),

    close: (id, closing, closedAt) =>
      Effect.gen(function* () {
        const arrivedAtMillis = performance.now()
        const { status, pet } = orderClosings[closing]
        const values = [id, status, closedAt.getTime(), orderPlacement.to, pet]
        for (let count = 0; count < closingMaximum; count += 1) {
          const [row] = yield* write(closeText(pet), [...values, ...slot()], arrivedAtMillis)
          if (row !== undefined) {
            // A placed order's pet is pending until the order is closed.
            if (row[5] === null)
              return yield* Effect.dieMessage(`Pet ${row[1]} was not pending, although order ${id} for it is placed.`)
            return orderOfRow(row)
          }
          const [known] = yield* write(confirm, [id], arrivedAtMillis)
          if (known === undefined) return yield* new OrderNotFound({ orderId: id })
          const order = orderOfRow(known)
          const effect = checkClosing(closing, order.status)
          if (effect === "repeats") return yield* Effect.as(confirmPet(order.petId), order)
          if (effect === "refused") return yield* new OrderClosed({ orderId: id, status: order.status })
          // The order was committed between the two statements.
        }
        return yield* new StorageUnavailable({ cause: new Error(`Order ${id} is placed but could not be closed`) })
      }),

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
