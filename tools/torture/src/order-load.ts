/** A round's orders: clients that order the same pets, close orders, repeat requests and read orders. */
import { type Order, orderOf } from "@petstore/conformance/store-orders"
import type { Client } from "@petstore/harness/client"
import type { Random } from "@petstore/harness/random"
import { type Closing, closing, ordering } from "@petstore/model/rules"
import type { Callers } from "./callers.ts"
import { type ChangeLoad, readPet } from "./change-load.ts"
import { creating, keyHeaders } from "./creates.ts"

const buyers = 3
const crowdSize = 8
/** The number of recent orders from which buyers choose one to close or read. */
const recent = 30

export const orderLoad = (callers: Callers, changes: ChangeLoad, random: Random) => {
  const { ledger } = callers
  const creates = creating<bigint>(callers, (intent) => ({
    what: `an order of pet ${intent.given}`,
    petId: intent.given,
    intent,
    request: { method: "POST", path: "/store/orders", body: `{"petId":${intent.given}}`, headers: keyHeaders(intent) },
    rule: ordering,
  }))

  const buy = callers.keepCalling(20, async (client, random) => {
    if (random.chance(0.45)) {
      const intent = ledger.newOrder(random)
      if (intent !== undefined) await creates.persist(client, intent, 0.2, random)
    } else {
      const order = random.pickAny(ledger.orders.slice(-recent))
      if (order !== undefined) await follow(client, order, random)
    }
  })

  /** Closes an order, sometimes in several ways or more than once, or reads it. */
  const follow = async (client: Client, order: Order, random: Random): Promise<void> => {
    if (random.chance(0.3)) return read(client, order)
    // More orders are cancelled than completed, so that pets are ordered again.
    await close(client, order, random.chance(0.65) ? "cancel" : "complete")
    if (random.chance(0.4)) await close(client, order, random.pick(["cancel", "complete", "return"]))
    if (random.chance(0.3)) await read(client, order)
  }

  const crowd = callers.repeat(30, 150, async (random) => {
    const wanted = ledger.newOrder(random)
    if (wanted === undefined) return
    await callers.atOnce(crowdSize, (client, index) => {
      if (index === 1) return changes.changeOrdered(client, wanted.given, random)
      // Half of the clients send the same request, if it has a key.
      const isShared = index === 0 || (index % 2 === 0 && wanted.idempotencyKey !== undefined)
      return creates.attempt(client, isShared ? wanted : ledger.newOrderOf(wanted.given, random))
    })
  })

  const close = (client: Client, { id, petId }: Order, how: Closing) =>
    callers.write(client, {
      what: `the request to ${how} order ${id}`,
      petId,
      request: { method: "POST", path: `/store/orders/${id}/${how}` },
      rule: () => closing(id, how),
    })

  /** Reads an order, and sometimes its pet. Neither may be older than the acknowledged state (sentence 4.5.16). */
  const read = async (client: Client, { id, petId }: Order): Promise<void> => {
    const beganAtMillis = performance.now()
    const response = await callers.send(client, { path: `/store/orders/${id}` })
    if (response === undefined) return
    if (response.status !== 200) return callers.refused(response, `reading acknowledged order ${id}`)
    const order = orderOf(response.json)
    if (order.id !== id) ledger.problem(`order ${order.id} was shown as order ${id}`)
    ledger.show(petId, order, beganAtMillis)
    if (order.status === "completed") await readPet(callers, client, petId, false)
  }
  return {
    run: () => callers.run(random, [buyers, buy], [1, crowd]),
    settle: () => creates.settle(10, random),
  }
}
