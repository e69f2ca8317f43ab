/** Orders as callers see them, their JSON, and their operations. Experimental: they may change in a minor release. */
import type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.js"
import { orderStatuses } from "./facts.js"
import { bodyOf, int64, mustBeInt64, mustBeText, object, oneOf, orNull, text, timestamp } from "./fields.js"
import type { ListQuery } from "./page.js"
import type { Result } from "./result.js"

/** The status of an order. @experimental */
export type OrderStatus = "placed" | "completed" | "cancelled" | "returned"

/** The values of a new order. @experimental */
export interface NewOrder {
  /** A pet whose status is `available`. */
  readonly petId: bigint
  /** At most 256 code points, may be empty. Do not put anything private into it. */
  readonly note?: string | undefined
}

/** A change to an order. @experimental */
export interface OrderChange {
  /** `null` removes the note. */
  readonly note?: string | null | undefined
}

/** An order that the service has stored. @experimental */
export interface Order {
  /** Assigned by the service: a 64-bit integer, exact past 2^53. */
  readonly id: bigint
  readonly petId: bigint
  readonly status: OrderStatus
  readonly createdAt: Date
  /** When the status last changed: the same as `createdAt` while the order is placed. */
  readonly updatedAt: Date
  /** Absent unless one was given. */
  readonly note?: string
}

/** Which page of orders to list. @experimental */
export interface OrderQuery extends ListQuery {
  /** Only orders with this status. */
  readonly status?: OrderStatus | undefined
  /** Only orders for this pet. */
  readonly petId?: bigint | undefined
  /** The order of the identifiers: `asc` if absent. */
  readonly order?: "asc" | "desc" | undefined
}

/** One page of orders. @experimental */
export interface OrderPage {
  readonly items: ReadonlyArray<Order>
  /** The query for the next page. Absent on the last page. */
  readonly next?: OrderQuery & { readonly cursor: string }
}

/** The operations on orders. They reject with a `PetstoreError`, or a `TypeError` for an invalid argument. @experimental */
export interface Orders {
  /** Lists one page of orders: 20 orders by ascending identifier, unless `limit` or `order` says otherwise. */
  readonly list: (query?: OrderQuery, options?: CallOptions) => Promise<Result<OrderPage>>

  /**
   * Iterates over every order. Pages are requested as you consume them. With a `status`, the iteration may include or
   * omit an order whose status changes meanwhile.
   *
   * @example for await (const order of petstore.orders.listAll({ status: "placed" })) console.log(order.petId)
   */
  readonly listAll: (query?: OrderQuery, options?: CallOptions) => AsyncGenerator<Order, void, undefined>

  /**
   * Orders a pet, and repeats requests as safely as `createPet`. The pet's status changes from `available` to `pending`. If
   * several callers order one pet, one of them gets it, and the other calls fail with `pet_not_available`.
   *
   * @example
   * const { value: bello } = await petstore.createPet({ name: "Bello", categoryId: 7n, status: "available" })
   * const { value: order } = await petstore.orders.create({ petId: bello.id })
   * order.status // "placed"
   */
  readonly create: (order: NewOrder, options?: CreateOptions) => Promise<Result<Order>>

  /** Gets one order by its identifier. */
  readonly get: (id: bigint, options?: CallOptions) => Promise<Result<Order>>

  /** Completes an order: its pet becomes `sold`. Can safely be repeated. Fails with `order_closed` if the order was cancelled. */
  readonly complete: (id: bigint, options?: CallOptions) => Promise<Result<Order>>

  /**
   * Cancels an order: its pet becomes `available` again. Repeating the call is harmless. Fails with `order_closed` if the order
   * was completed.
   */
  readonly cancel: (id: bigint, options?: CallOptions) => Promise<Result<Order>>

  /**
   * Takes back a completed order: its pet becomes `available` again. Repeating the call is harmless. Fails with
   * `order_not_completed` if the order is placed or cancelled, and with `pet_changed` if the pet was removed, is no longer
   * `sold`, or was sold again.
   */
  readonly return: (id: bigint, options?: CallOptions) => Promise<Result<Order>>

  /**
   * Replaces an order's note, whatever the order's status.
   *
   * @example
   * const { value: order, etag } = await petstore.orders.get(1n)
   * await petstore.orders.change(order.id, { note: "Collects on Friday" }, { ifMatch: etag })
   */
  readonly change: (id: bigint, change: OrderChange, options?: ChangeOptions) => Promise<Result<Order>>
}

// Does not compile if core has a status that the client's type lacks.
const statuses: ReadonlyArray<OrderStatus> = orderStatuses

export const encodeNewOrder = bodyOf<NewOrder>({ petId: mustBeInt64 }, { note: mustBeText })

export const encodeOrderChange = bodyOf<OrderChange>({}, { note: orNull(mustBeText) })

export const decodeOrder = object<Order>(
  { id: int64, petId: int64, status: oneOf(statuses), createdAt: timestamp, updatedAt: timestamp },
  { note: text },
)
