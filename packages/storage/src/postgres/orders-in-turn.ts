/**
 * Orders of one pet in turn: those that arrive while one is on its way share the next
 * statement. It places an order for the first of them at most, and at that moment the pet is not
 * available to the others, so that is their answer. However many want one pet, few statements
 * wait for its row, and callers who want another pet have the connections.
 */
import { type Order, type OrderRefusal, type PetId, PetNotAvailable, StorageUnavailable } from "@petstore/core"
import { Effect, Exit } from "effect"

/** Most orders of one pet that may wait; more are refused at once. */
const waitingMaximum = 4_096

type Placed = Exit.Exit<Order, OrderRefusal | StorageUnavailable>

interface Waiting {
  readonly createdAt: Date
  readonly arrivedAtMillis: number
  readonly answer: (placed: Placed) => void
}

/** Makes the door for orders. `place` sends the statement for a caller who may have waited since `arrivedAtMillis` of `performance.now()`. */
export const ordersInTurn = (
  place: (petId: PetId, createdAt: Date, arrivedAtMillis: number) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>,
): ((petId: PetId, createdAt: Date) => Effect.Effect<Order, OrderRefusal | StorageUnavailable>) => {
  /** Who waits, for each pet that an order is on its way of. */
  const waiting = new Map<PetId, Array<Waiting>>()

  const send = (petId: PetId, first: Waiting, others: ReadonlyArray<Waiting>): void => {
    Effect.runCallback(place(petId, first.createdAt, first.arrivedAtMillis), {
      onExit: (placed) => {
        first.answer(placed)
        const shared = Exit.isSuccess(placed) ? Exit.fail(new PetNotAvailable({ petId })) : placed
        for (const { answer } of others) answer(shared)
        const [next, ...rest] = waiting.get(petId) ?? []
        if (next === undefined) waiting.delete(petId)
        else {
          waiting.set(petId, [])
          send(petId, next, rest)
        }
      },
    })
  }

  return (petId, createdAt) =>
    Effect.async((resume) => {
      const one: Waiting = { createdAt, arrivedAtMillis: performance.now(), answer: resume }
      const others = waiting.get(petId)
      if (others === undefined) {
        waiting.set(petId, [])
        send(petId, one, [])
      } else if (others.length < waitingMaximum) others.push(one)
      else resume(new StorageUnavailable({ cause: new Error(`${waitingMaximum} orders wait for the pet ${petId} already`) }))
    })
}
