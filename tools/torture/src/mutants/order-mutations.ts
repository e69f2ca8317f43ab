/** Deliberate faults in an adapter's orders. */
import { type Order, type OrderId, type OrderRepository, orderClosings, type PetId, type PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { everyNth } from "./mutations.ts"

type Orders = (typeof OrderRepository)["Service"]
type Pets = (typeof PetRepository)["Service"]

/** How long after the acknowledgement the transaction starts, in ms. */
const lateMillis = 150

/** Runs an effect later, and ignores its result. */
const later = (work: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDaemon(Effect.ignore(Effect.delay(work, lateMillis))))

/** Acknowledges the closing of an order after checking the order, and writes the change later. */
const acknowledgeEndBeforeCommit = (orders: Orders): Orders => ({
  ...orders,
  close: (id, closing, closedAt) =>
    Effect.flatMap(orders.find(id), (found) => {
      const order = Option.getOrUndefined(found)
      if (order?.status !== "placed") return orders.close(id, closing, closedAt)
      const ended: Order = { ...order, status: orderClosings[closing].status, updatedAt: closedAt }
      return Effect.as(later(orders.close(id, closing, closedAt)), ended)
    }),
})

/** Acknowledges an order with a predicted identifier, and places it later. */
const acknowledgeBeforeCommit = (orders: Orders, pets: Pets): Orders => {
  let last: bigint | undefined
  const honestly = (petId: PetId, at: Date) =>
    Effect.tap(orders.insert(petId, at), ({ id }) =>
      Effect.sync(() => {
        last = id
      }),
    )
  return {
    ...orders,
    insert: (petId, createdAt) =>
      Effect.flatMap(pets.find(petId), (pet) => {
        if (last === undefined || Option.getOrUndefined(pet)?.status !== "available") return honestly(petId, createdAt)
        last += 1n
        // Safe: every 64-bit integer may name an order.
        const order: Order = { id: last, petId, status: "placed", createdAt, updatedAt: createdAt }
        return Effect.as(later(orders.insert(petId, createdAt)), order)
      }),
  }
}

/**
 * Reads a pet's status, waits, and then orders the pet without another check. A client that ordered it in between loses its
 * acknowledged order.
 */
const readThenWrite = (orders: Orders, pets: Pets): Orders => {
  const holderOf = (petId: PetId, after: Option.Option<OrderId>): Effect.Effect<Order | undefined, unknown> =>
    Effect.flatMap(orders.list({ status: Option.some("placed"), after, limit: 1000 }), (page) => {
      const holder = page.find((order) => order.petId === petId)
      const end = page.at(-1)
      return holder !== undefined || end === undefined ? Effect.succeed(holder) : holderOf(petId, Option.some(end.id))
    })
  return {
    ...orders,
    insert: (petId, createdAt) =>
      Effect.flatMap(Effect.zipLeft(pets.find(petId), Effect.sleep(5)), (pet) =>
        Effect.catchTag(orders.insert(petId, createdAt), "PetNotAvailable", (refusal) => {
          if (Option.getOrUndefined(pet)?.status !== "available") return Effect.fail(refusal)
          return Effect.flatMap(
            Effect.orElseSucceed(holderOf(petId, Option.none()), () => undefined),
            (holder) => {
              if (holder === undefined) return Effect.fail(refusal)
              return Effect.zipRight(Effect.ignore(orders.close(holder.id, "cancel", createdAt)), orders.insert(petId, createdAt))
            },
          )
        }),
      ),
  }
}

const loseIdempotencyRow = (orders: Orders): Orders => {
  const isTime = everyNth(3)
  return {
    ...orders,
    insertOnce: (petId, claim) =>
      isTime()
        ? Effect.map(orders.insert(petId, claim.claimedAt), (one) => ({ one, isNew: true }))
        : orders.insertOnce(petId, claim),
  }
}

/** Drops every 7th order right after its acknowledgement. */
const dropOrder = (orders: Orders): Orders => {
  const isDropped = ({ id }: Order): boolean => id % 7n === 0n
  return {
    ...orders,
    find: (id) =>
      Effect.map(
        orders.find(id),
        Option.filter((order) => !isDropped(order)),
      ),
    list: (selection) => Effect.map(orders.list(selection), (page) => page.filter((order) => !isDropped(order))),
  }
}

/** Turns a working order repository into a broken one. */
export type OrderMutation = (orders: Orders, pets: Pets) => Orders

export const orderMutations: Readonly<Record<string, OrderMutation>> = {
  "acknowledge an order before commit": acknowledgeBeforeCommit,
  "acknowledge the end of an order before commit": acknowledgeEndBeforeCommit,
  "order by read-then-write": readThenWrite,
  "lose the idempotency row of an order": loseIdempotencyRow,
  "drop an order": dropOrder,
}
