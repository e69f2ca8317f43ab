/** The operations on orders. They are experimental: they may change in a minor release of the service and of this package. */
import type { CallOptions, CreateOptions } from "./call-options.js"
import type { NewOrder, Order, OrderStatus } from "./order.js"
import type { ListQuery } from "./page.js"

/** Which page of orders to list. @experimental */
export interface OrderQuery extends ListQuery {
  /** Only orders with this status. */
  readonly status?: OrderStatus | undefined
  /** Only orders for this pet. */
  readonly petId?: bigint | undefined
}

/** One page of orders, sorted by ascending identifier. @experimental */
export interface OrderPage {
  readonly items: ReadonlyArray<Order>
  /** The query for the next page. Absent on the last page. */
  readonly next?: OrderQuery & { readonly cursor: string }
}

/** The operations on orders. They reject with a `PetstoreError`, or a `TypeError` for an invalid argument. @experimental */
export interface Orders {
  /** Lists one page of orders by ascending identifier: 20 orders, unless `limit` says otherwise. */
  readonly list: (query?: OrderQuery, options?: CallOptions) => Promise<OrderPage>

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
   * const bello = await petstore.createPet({ name: "Bello", categoryId: 7n, status: "available" })
   * const order = await petstore.orders.create({ petId: bello.id })
   * order.status // "placed"
   */
  readonly create: (order: NewOrder, options?: CreateOptions) => Promise<Order>

  /** Gets one order by its identifier. */
  readonly get: (id: bigint, options?: CallOptions) => Promise<Order>

  /** Completes an order: its pet becomes `sold`. Can safely be repeated. Fails with `order_closed` if the order was cancelled. */
  readonly complete: (id: bigint, options?: CallOptions) => Promise<Order>

  /**
   * Cancels an order: its pet becomes `available` again. Repeating the call is harmless. Fails with `order_closed` if the order
   * was completed.
   */
  readonly cancel: (id: bigint, options?: CallOptions) => Promise<Order>
}
