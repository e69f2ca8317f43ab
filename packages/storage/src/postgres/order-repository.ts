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
  orderStatuses,
  type PetId,
  type PetOrder,
  StorageUnavailable,
  type ValidNewOrder,
} from "@petstore/core"
import { withNote } from "@petstore/core/internal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { firstOrder, orderColumns, orderOfRow, orderRefusalOf, resultOfReturn } from "../rows.js"
import { allOf, oneOf } from "../sql/tables.js"
import { changeTexts, rowChanger } from "./change-statements.js"
import type { OriginOf } from "./change-writes.js"
import { confirmPetOf, notShown } from "./confirm-pet.js"
import { prepared, type Row } from "./engine/connection.js"
import type { Database } from "./engine/database.js"
import { claimValues, underClaim } from "./idempotency.js"
import { ordersInTurn } from "./orders-in-turn.js"
import { pagesOf } from "./pages.js"

const page = pagesOf("orders", orderColumns)

/** Finds an order by writing the order unchanged. As with a claim, an earlier change might not have reached the standbys. */
const confirm = prepared("confirm order", `UPDATE orders SET updated_at = updated_at WHERE id = $1 RETURNING ${orderColumns}`)

const findText = prepared("find order", `SELECT ${orderColumns} FROM orders WHERE id = $1`)

const findPet = prepared("status of ordered pet", "SELECT status FROM pets WHERE id = $1")

/** A page of a pet's orders with one status. The status is in the text, so that no orders with other statuses are read. */
const ordersOf = (status: OrderStatus, follows: string, order: PetOrder): string =>
  `SELECT ${orderColumns} FROM orders
   WHERE (pet_id, status, id) ${follows} ($1, '${status}', $2) AND (pet_id, status) ${order === "asc" ? "<=" : ">="} ($1, '${status}')
   ORDER BY pet_id ${order}, status ${order}, id ${order} LIMIT $3`

/** The values of a new order. */
const placement = ({ petId, note }: ValidNewOrder, at: Date) => [petId, at.getTime(), note ?? null] as const

/** How many times closing an order is attempted while the order becomes visible. */
const closingMaximum = 3

export const postgresOrderRepository = (database: Database, originOf: OriginOf) => {
  const { layout, read, write } = database
  const text = changeTexts(layout)
  const changeRow = rowChanger(database, originOf)
  const once = underClaim(database)
  const confirmPet = confirmPetOf(database)

  const placedIn = (row: Row | undefined, petId: PetId): Effect.Effect<Order, OrderRefusal | StorageUnavailable> =>
    row === undefined
      ? Effect.flatMap(read(findPet, [petId]), ([pet]) => orderRefusalOf(pet, petId))
      : Effect.succeed(orderOfRow(row))

  const insertInTurn = ordersInTurn(({ order, createdAt, by }, arrivedAtMillis) =>
    originOf(by).pipe(
      Effect.flatMap((origin) => write(text.place_order, [...placement(order, createdAt), ...origin], arrivedAtMillis)),
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
        const values = [...placement(order, claim.claimedAt), ...claimValues(claim), ...(yield* originOf(by))]
        const made = yield* once(text.place_order_once, values, claim)
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
        const values = [id, closedAt.getTime(), ...(yield* originOf(by))]
        for (let count = 0; count < closingMaximum; count += 1) {
          const [row] = yield* write(text[`${closing}_order`], values, arrivedAtMillis)
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
        const values = [id, returnedAt.getTime(), ...(yield* originOf(by))]
        const [row] = yield* write(text.return_order, values, arrivedAtMillis)
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
