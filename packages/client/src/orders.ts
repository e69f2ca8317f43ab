/** The operations of orders, which are experimental: they may change in a minor release of the service and of this package. */
import type { CallOptions, CreateOptions } from "./call-options.js"
import type { NewOrder, Order, OrderStatus } from "./order.js"
import type { ListQuery } from "./page.js"

/**
 * Which page of orders to list.
 *
 * @experimental
 */
export interface OrderQuery extends ListQuery {
  /** Only orders of this status. */
  readonly status?: OrderStatus | undefined
  /** Only orders of this pet. */
  readonly petId?: bigint | undefined
}

/**
 * One page of orders, by ascending identifier.
 *
 * @experimental
 */
export interface OrderPage {
  readonly items: ReadonlyArray<Order>
  /** The query of the next page; absent on the last page. */
  readonly next?: OrderQuery & { readonly cursor: string }
}

/**
 * The operations of orders. Each rejects with a `PetstoreError`.
 *
 * @experimental
 */
export interface Orders {
  /**
   * Lists one page of orders by ascending identifier, 20 of them unless `limit` says otherwise.
   *
   * @experimental
   */
  readonly list: (query?: OrderQuery, options?: CallOptions) => Promise<OrderPage>

  /**
   * Every order, page by page as you go. With a `status`, an order that changes meanwhile may or may not be included.
   *
   * @experimental
   * @example for await (const order of petstore.orders.listAll({ status: "placed" })) console.log(order.petId)
   */
  readonly listAll: (query?: OrderQuery, options?: CallOptions) => AsyncGenerator<Order, void, undefined>

  /**
   * Orders a pet, once, as `createPet` creates one: the pet goes from `available` to `pending`.
   * Of any number of callers one gets it; the others are refused with `pet_not_available`.
   *
   * @experimental
   * @example
   * const bello = await petstore.createPet({ name: "Bello", categoryId: 7n, status: "available" })
   * const order = await petstore.orders.create({ petId: bello.id })
   * order.status // "placed"
   */
  readonly create: (order: NewOrder, options?: CreateOptions) => Promise<Order>

  /**
   * Gets one order by its identifier.
   *
   * @experimental
   */
  readonly get: (id: bigint, options?: CallOptions) => Promise<Order>

  /**
   * Completes an order: its pet is `sold`. Repeating it is harmless; a cancelled order is refused with `order_closed`.
   *
   * @experimental
   */
  readonly complete: (id: bigint, options?: CallOptions) => Promise<Order>

  /**
   * Cancels an order: its pet is `available` again. Repeating it is harmless; a completed order is refused with `order_closed`.
   *
   * @experimental
   */
  readonly cancel: (id: bigint, options?: CallOptions) => Promise<Order>
}
