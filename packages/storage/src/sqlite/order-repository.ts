/** Orders in SQLite. A pet changes by compare-and-set on its status, so the second of two writers finds nothing to set. */
import {
  checkClosing,
  IdempotencyKeyReused,
  type MadeOnce,
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
  orderStatuses,
  type PetId,
  type PetOrder,
  type PetStatus,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { optionOfRow, orderColumns, orderOfRow, orderRefusalOf } from "../rows.js"
import { limited, type Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { sqliteIdempotency } from "./idempotency.js"

/** An order as a row, with the values in `orderColumns` order. The row can cross threads. */
type OrderRow = readonly [id: OrderId, petId: PetId, status: OrderStatus, createdAt: bigint, updatedAt: bigint]

/** A row with the status of a pet that cannot be ordered; `undefined` if there is no pet. This value can cross threads. */
export interface Refused {
  readonly pet: unknown
}

export const orderWrites = (statements: Statements) => {
  const { prepare, allOrNothing } = statements
  const setPet = prepare("UPDATE pets SET status = ?, reserved = ? IS 'pending' WHERE id = ? AND status = ?")
  const selectPet = prepare("SELECT status FROM pets WHERE id = ?")
  const insert = prepare(`INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (?, 'placed', ?, ?)
    RETURNING ${orderColumns}`)
  const close = prepare(`UPDATE orders SET status = ?, updated_at = ? WHERE id = ? AND status = 'placed'
    RETURNING ${orderColumns}`)
  const select = prepare(`SELECT ${orderColumns} FROM orders WHERE id = ?`)

  const movePet = (petId: PetId, from: PetStatus, to: PetStatus): boolean => setPet.run(to, to, petId, from).changes === 1n

  const place = (petId: PetId, createdAt: Date): OrderRow | Refused =>
    movePet(petId, orderPlacement.from, orderPlacement.to)
      ? rowOf(insert.get(petId, createdAt.getTime(), createdAt.getTime()))
      : { pet: selectPet.get(petId) }

  return {
    /** The new order, or why the pet cannot be ordered. */
    insertOrder: (petId: PetId, createdAt: Date) => allOrNothing(() => place(petId, createdAt)),

    /** The order that the first request with this key placed, in its current state. Refusals are not stored. */
    insertOrderOnce: sqliteIdempotency(statements, {
      make: place,
      idOf: (placed) => ("pet" in placed ? undefined : placed[0]),
      find: (id) => rowOf(select.get(id)),
    }),

    /** The closed order, unchanged if it had already been closed; `undefined` if it does not exist. */
    closeOrder: (id: OrderId, closing: OrderClosing, closedAt: Date): OrderRow | undefined =>
      allOrNothing(() => {
        const { status, pet } = orderClosings[closing]
        const closed = close.get(status, closedAt.getTime(), id)
        const found = closed ?? select.get(id)
        if (found === undefined) return undefined
        const row = rowOf(found)
        // A placed order's pet is pending until the order is closed.
        if (closed !== undefined && !movePet(row[1], orderPlacement.to, pet))
          throw new Error(`Pet ${row[1]} is not pending, although order ${id} for it is placed.`)
        return row
      }),
  }
}

export const sqliteOrderRepository = ({ prepare, run, writes }: Database<ReturnType<typeof orderWrites>>) => {
  const selectOne = prepare(`SELECT ${orderColumns} FROM orders WHERE id = ?`)
  const one = (where: string, order: PetOrder) =>
    `SELECT ${orderColumns} FROM orders WHERE ${where} id ${order === "asc" ? ">" : "<"} ?`
  // Reads no orders with other statuses. SQLite merges the parts of the union while it reads them in identifier order.
  const statementsFor = (order: PetOrder) => {
    const page = (parts: ReadonlyArray<string>) => prepare(`${parts.join(" UNION ALL ")} ORDER BY id ${order} ${limited}`)
    const ofPet = (status: OrderStatus) => one(`pet_id = ? AND status = '${status}' AND`, order)
    return {
      all: page([one("", order)]),
      byStatus: page([one("status = ? AND", order)]),
      byPet: page(orderStatuses.map(ofPet)),
      byPetAndStatus: new Map(orderStatuses.map((status) => [status, page([ofPet(status)])])),
    }
  }
  const select = { asc: statementsFor("asc"), desc: statementsFor("desc") }

  return OrderRepository.of({
    insert: ({ petId }, createdAt) => Effect.flatMap(writes.insertOrder(petId, createdAt), (placed) => answerOf(placed, petId)),

    insertOnce: ({ petId }, claim) =>
      Effect.flatMap(
        writes.insertOrderOnce(petId, claim),
        (made): Effect.Effect<MadeOnce<Order>, OrderRefusal | IdempotencyKeyReused> =>
          made === "reused"
            ? new IdempotencyKeyReused({ key: claim.key })
            : Effect.map(answerOf(made.value, petId), (order) => ({
                value: { ...order, status: "placed", updatedAt: order.createdAt },
                isNew: made.isNew,
              })),
      ),

    close: (id, closing, closedAt) =>
      Effect.flatMap(writes.closeOrder(id, closing, closedAt), (row): Effect.Effect<Order, OrderNotFound | OrderClosed> => {
        if (row === undefined) return new OrderNotFound({ orderId: id })
        const order = orderOfRow(row)
        return checkClosing(closing, order.status) === "refused"
          ? new OrderClosed({ orderId: id, status: order.status })
          : Effect.succeed(order)
      }),

    find: (id) => run(() => optionOfRow(selectOne.get(id), orderOfRow)),

    list: ({ status, petId, order = "asc", after, limit }) =>
      run(() => {
        const { all, byStatus, byPet, byPetAndStatus } = select[order]
        const from = Option.getOrElse(after, () => (order === "asc" ? minInt64 : maxInt64))
        if (petId !== undefined) {
          const ofStatus = Option.isNone(status) ? undefined : byPetAndStatus.get(status.value)
          const rows = ofStatus?.all(petId, from, limit) ?? byPet.all(...orderStatuses.flatMap(() => [petId, from]), limit)
          return rows.map(orderOfRow)
        }
        const rows = Option.isNone(status) ? all.all(from, limit) : byStatus.all(status.value, from, limit)
        return rows.map(orderOfRow)
      }),
  })
}

const answerOf = (placed: OrderRow | Refused, petId: PetId): Effect.Effect<Order, OrderRefusal> =>
  "pet" in placed ? orderRefusalOf(placed.pet, petId) : Effect.succeed(orderOfRow(placed))

/** Safe: the statements list `orderColumns`. */
const rowOf = (row: unknown): OrderRow => row as OrderRow
