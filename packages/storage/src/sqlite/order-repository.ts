/** Orders in SQLite. A pet changes by compare-and-set on its status, so the second of two writers finds nothing to set. */
import {
  type Actor,
  type ChangeOperation,
  checkClosing,
  encodeOrder,
  IdempotencyKeyReused,
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
  type Pet,
  type PetId,
  type PetOrder,
  type PetStatus,
  type ValidNewOrder,
} from "@petstore/core"
import { withNote } from "@petstore/core/internal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  firstOrder,
  optionOfRow,
  orderColumns,
  orderOfRow,
  orderRefusalOf,
  petColumns,
  petOfRow,
  resultOfReturn,
} from "../rows.js"
import type { RecordChange } from "./change-writes.js"
import { limited, type Statements } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { sqliteIdempotency } from "./idempotency.js"

/** A row with the status of a pet that cannot be ordered; `undefined` if there is no pet. This value can cross threads. */
export interface Refused {
  readonly pet: unknown
}

export const orderWrites = (statements: Statements, record: RecordChange) => {
  const { prepare, allOrNothing } = statements
  const setPet = prepare(`UPDATE pets SET status = ?, reserved = ? IS 'pending' WHERE id = ? AND status = ?
    RETURNING ${petColumns}`)
  const selectPet = prepare("SELECT status FROM pets WHERE id = ?")
  const insert = prepare(`INSERT INTO orders (pet_id, status, created_at, updated_at, note) VALUES (?, 'placed', ?, ?, ?)
    RETURNING ${orderColumns}`)
  const setOrder = prepare(`UPDATE orders SET status = ?, updated_at = ? WHERE id = ? AND status = ? RETURNING ${orderColumns}`)
  const select = prepare(`SELECT ${orderColumns} FROM orders WHERE id = ?`)
  const selectLaterSale = prepare("SELECT 1 FROM orders WHERE pet_id = ? AND status = 'completed' AND id > ? LIMIT 1")
  const setNote = prepare("UPDATE orders SET note = ? WHERE id = ?")

  const movePet = (petId: PetId, from: PetStatus, to: PetStatus): Pet | undefined => {
    const row = setPet.get(to, to, petId, from)
    return row === undefined ? undefined : petOfRow(row)
  }

  const find = (id: OrderId): Order | undefined => {
    const row = select.get(id)
    return row === undefined ? undefined : orderOfRow(row)
  }

  const place = ({ petId, note }: ValidNewOrder, createdAt: Date, by: Actor | undefined): Order | Refused => {
    const pet = movePet(petId, orderPlacement.from, orderPlacement.to)
    if (pet === undefined) return { pet: selectPet.get(petId) }
    const order = orderOfRow(insert.get(petId, createdAt.getTime(), createdAt.getTime(), note ?? null))
    record("createOrder", by, { pet: { ...pet, status: orderPlacement.from } }, { pet, order })
    return order
  }

  /** Changes an order and its pet together. */
  const move = (
    operation: ChangeOperation,
    by: Actor | undefined,
    order: Order,
    to: { readonly status: OrderStatus; readonly from: PetStatus; readonly pet: PetStatus; readonly at: Date },
  ): Order | undefined => {
    const pet = movePet(order.petId, to.from, to.pet)
    if (pet === undefined) return undefined
    const moved = orderOfRow(setOrder.get(to.status, to.at.getTime(), order.id, order.status))
    record(operation, by, { pet: { ...pet, status: to.from }, order }, { pet, order: moved })
    return moved
  }

  return {
    /** The new order, or why the pet cannot be ordered. */
    insertOrder: (order: ValidNewOrder, createdAt: Date, by: Actor | undefined) =>
      allOrNothing(() => place(order, createdAt, by)),

    /** The order that the first request with this key placed, in its current state. Refusals are not stored. */
    insertOrderOnce: sqliteIdempotency<ValidNewOrder, Order | Refused>(statements, {
      make: place,
      idOf: (placed) => ("pet" in placed ? undefined : placed.id),
      find: (id) => orderOfRow(select.get(id)),
    }),

    /** The closed order, unchanged if it had already been closed; `undefined` if it does not exist. */
    closeOrder: (id: OrderId, closing: OrderClosing, at: Date, by: Actor | undefined): Order | undefined =>
      allOrNothing(() => {
        const order = find(id)
        if (order === undefined || checkClosing(closing, order.status) !== "moves") return order
        const closed = move(`${closing}Order`, by, order, { ...orderClosings[closing], from: orderPlacement.to, at })
        // A placed order's pet is pending until the order is closed.
        if (closed === undefined) throw new Error(`Pet ${order.petId} is not pending, although order ${id} for it is placed.`)
        return closed
      }),

    /** The returned order, unchanged if it cannot be returned; `undefined` if it does not exist. */
    returnOrder: (id: OrderId, at: Date, by: Actor | undefined): Order | undefined =>
      allOrNothing(() => {
        const order = find(id)
        if (order?.status !== "completed" || selectLaterSale.get(order.petId, id) !== undefined) return order
        return move("returnOrder", by, order, { ...orderReturn, from: "sold", at }) ?? order
      }),

    setOrderNote: (seen: Order, note: string | undefined, by: Actor | undefined): boolean => {
      const order = find(seen.id)
      if (order === undefined || encodeOrder(order) !== encodeOrder(seen)) return false
      setNote.run(note ?? null, seen.id)
      record("changeOrder", by, { order }, { order: withNote(order, note) })
      return true
    },
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
    insert: (order, createdAt, by) =>
      Effect.flatMap(writes.insertOrder(order, createdAt, by), (placed) => answerOf(placed, order.petId)),

    insertOnce: (order, claim, by) =>
      Effect.gen(function* () {
        const made = yield* writes.insertOrderOnce(order, claim, by)
        if (made === "reused") return yield* new IdempotencyKeyReused({ key: claim.key })
        return { value: firstOrder(yield* answerOf(made.value, order.petId), order), isNew: made.isNew }
      }),

    close: (id, closing, closedAt, by) =>
      Effect.gen(function* () {
        const order = yield* writes.closeOrder(id, closing, closedAt, by)
        if (order === undefined) return yield* new OrderNotFound({ orderId: id })
        if (checkClosing(closing, order.status) !== "refused") return order
        return yield* new OrderClosed({ orderId: id, status: order.status })
      }),

    giveBack: (id, returnedAt, by) =>
      Effect.gen(function* () {
        const order = yield* writes.returnOrder(id, returnedAt, by)
        return yield* order === undefined ? new OrderNotFound({ orderId: id }) : resultOfReturn(order)
      }),

    setNote: (seen, note, by) => writes.setOrderNote(seen, note, by),

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

const answerOf = (placed: Order | Refused, petId: PetId): Effect.Effect<Order, OrderRefusal> =>
  "pet" in placed ? orderRefusalOf(placed.pet, petId) : Effect.succeed(placed)
