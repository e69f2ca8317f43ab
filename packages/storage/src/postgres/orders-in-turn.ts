/**
 * Runs the orders for one pet one after the other. Those that arrive during a statement share the next one, which places at most
 * the first: then the pet is not available. So few statements wait for one pet's row, and connections stay free for other pets.
 */
import {
  type Actor,
  type Order,
  type OrderRefusal,
  orderPlacement,
  type PetId,
  PetNotAvailable,
  StorageUnavailable,
  type ValidNewOrder,
} from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type BatchQueue, batchQueue } from "../batch-queue.js"

/** The maximum number of pending orders for one pet. Further orders are refused immediately. */
const waitingMaximum = 4_096

type Placed = Exit.Exit<Order, OrderRefusal | StorageUnavailable>

/** An order to place, and who makes it. */
export interface GivenOrder {
  readonly order: ValidNewOrder
  readonly createdAt: Date
  readonly by: Actor | undefined
}

/** Returns the function that places an order. `place` receives the arrival time of the request, from `performance.now()`. */
export const ordersInTurn = (
  place: (given: GivenOrder, arrivedAtMillis: number) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>,
): ((given: GivenOrder) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>) => {
  const queues = new Map<PetId, BatchQueue<GivenOrder, Placed>>()

  const queueOf = (petId: PetId): BatchQueue<GivenOrder, Placed> =>
    batchQueue({
      carryOut: async ([first, ...others]) => {
        if (first === undefined) return []
        const placed = await Effect.runPromiseExit(place(first.request, first.arrivedAtMillis))
        const shared = Exit.isSuccess(placed) ? Exit.fail(new PetNotAvailable({ petId, status: orderPlacement.to })) : placed
        return [placed, ...others.map(() => shared)]
      },
      failed: Exit.die,
      maximum: waitingMaximum,
      batchesAtOnce: () => 1,
      begin: (flush) => flush(),
      onIdle: () => queues.delete(petId),
    })

  return (given) =>
    Effect.async((resume) => {
      const { petId } = given.order
      const queue = queues.get(petId) ?? queueOf(petId)
      queues.set(petId, queue)
      if (queue.submit(given, resume)) return
      const cause = new Error(`${waitingMaximum} orders are already waiting for pet ${petId}`)
      resume(new StorageUnavailable({ cause, isUndone: true }))
    })
}
