/**
 * Runs the orders for one pet one after the other. Those that arrive during a statement share the next one, which places at most
 * the first: then the pet is not available. So few statements wait for one pet's row, and connections stay free for other pets.
 */
import { type Order, type OrderRefusal, orderPlacement, type PetId, PetNotAvailable, StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type BatchQueue, batchQueue } from "../batch-queue.js"

/** The maximum number of pending orders for one pet. Further orders are refused immediately. */
const waitingMaximum = 4_096

type Placed = Exit.Exit<Order, OrderRefusal | StorageUnavailable>

/** Returns the function that places an order. `place` receives the arrival time of the request, from `performance.now()`. */
export const ordersInTurn = (
  place: (petId: PetId, createdAt: Date, arrivedAtMillis: number) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>,
): ((petId: PetId, createdAt: Date) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>) => {
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
      const cause = new Error(`${waitingMaximum} orders are already waiting for pet ${petId}`)
      resume(new StorageUnavailable({ cause, isUndone: true }))
    })
}
