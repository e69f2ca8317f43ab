/**
 * Runs the orders of one pet in turn: those that arrive during a statement share the next one. That statement places an order for
 * the first of them at most, so the pet is not available for the others. Few statements wait for the row of one pet, so orders of
 * other pets have the connections.
 */
import { type Order, type OrderRefusal, orderPlacement, type PetId, PetNotAvailable, StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type BatchQueue, batchQueue } from "../batch-queue.js"

/** The maximum number of pending orders for one pet; more are refused at once. */
const waitingMaximum = 4_096

type Placed = Exit.Exit<Order, OrderRefusal | StorageUnavailable>

/**
 * Returns the function that places an order. `place` sends the statement for a caller that has waited since `arrivedAtMillis` by
 * `performance.now()`.
 */
export const ordersInTurn = (
  place: (petId: PetId, createdAt: Date, arrivedAtMillis: number) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>,
): ((petId: PetId, createdAt: Date) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>) => {
  /** The waiting orders of each pet. */
  const queues = new Map<PetId, BatchQueue<Date, Placed>>()

  const queueOf = (petId: PetId): BatchQueue<Date, Placed> =>
    batchQueue({
      carryOut: async ([first, ...others]) => {
        if (first === undefined) return []
        const placed = await Effect.runPromiseExit(place(petId, first.request, first.arrivedAtMillis))
        const shared = Exit.isSuccess(placed) ? Exit.fail(new PetNotAvailable({ petId, status: orderPlacement.to })) : placed
        return [placed, ...others.map(() => shared)]
      },
      failed: Exit.die,
      maximum: waitingMaximum,
      batchesAtOnce: () => 1,
      begin: (flush) => flush(),
      onIdle: () => queues.delete(petId),
    })

  return (petId, createdAt) =>
    Effect.async((resume) => {
      const queue = queues.get(petId) ?? queueOf(petId)
      queues.set(petId, queue)
      if (queue.submit(createdAt, resume)) return
      resume(new StorageUnavailable({ cause: new Error(`${waitingMaximum} orders wait for the pet ${petId} already`) }))
    })
}
