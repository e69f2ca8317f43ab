/** A round's orders: clients that order the same pets, close orders, repeat requests and read orders. */
import { orderOf } from "@petstore/conformance/store-orders"
import type { Client } from "@petstore/harness/client"
import { errorOf } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"
import type { KnownOrder } from "@petstore/model/clients"
import { type Closing, statusAfter } from "@petstore/model/rules"
import type { Callers } from "./callers.ts"
import { type ChangeLoad, readPet } from "./change-load.ts"
import { creating, keyHeaders } from "./creates.ts"

const buyers = 3
const crowdSize = 8
/** The number of recent orders from which buyers choose one to close or read. */
const recent = 30

export const orderLoad = (callers: Callers, changes: ChangeLoad, random: Random) => {
  const { model } = callers
  const creates = creating(callers, model.orders, {
    requestOf: (intent) => ({
      method: "POST",
      path: "/store/orders",
      body: `{"petId":${intent.given}}`,
      headers: keyHeaders(intent),
    }),
    sending: (intent) => model.sendingOrder(intent),
    created: (intent, response) => model.acknowledgeOrder(intent, orderOf(response.json)),
    isRefusal: (intent, response, isRepeated) => {
      const { code } = errorOf(response)
      if (code !== "pet_not_available" && code !== "pet_not_found") return false
      model.refusedOrder(intent, isRepeated, code)
      return true
    },
  })

  const buy = callers.keepCalling(20, async (client, random) => {
    if (random.chance(0.45)) {
      const intent = model.newOrder(random)
      if (intent !== undefined) await creates.persist(client, intent, 0.2, random)
    } else {
      const order = random.pickAny(model.orders.known.slice(-recent))
      if (order !== undefined) await follow(client, order, random)
    }
  })

  /** Closes an order, sometimes in both ways or more than once, or reads it. */
  const follow = async (client: Client, order: KnownOrder, random: Random): Promise<void> => {
    if (random.chance(0.3)) return read(client, order)
    // More orders are cancelled than completed, so that pets are ordered again.
    await close(client, order, random.chance(0.65) ? "cancel" : "complete")
    if (random.chance(0.2)) await close(client, order, random.chance(0.5) ? "cancel" : "complete")
    if (random.chance(0.3)) await read(client, order)
  }

  const crowd = callers.repeat(30, 150, async (random) => {
    const wanted = model.newOrder(random)
    if (wanted === undefined) return
    await callers.atOnce(crowdSize, (client, index) => {
      if (index === 1) return changes.changeOrdered(client, wanted.given, random)
      // Half of the clients send the same request, if it has a key.
      const isShared = index === 0 || (index % 2 === 0 && wanted.idempotencyKey !== undefined)
      return creates.attempt(client, isShared ? wanted : model.newOrderOf(wanted.given, random))
    })
  })

  const close = async (client: Client, order: KnownOrder, closing: Closing): Promise<void> => {
    const { id } = order.first
    const asked = model.closingOrder(order, closing)
    const response = await callers.send(client, { method: "POST", path: `/store/orders/${id}/${closing}` })
    if (response === undefined) return
    if (response.status === 200) {
      const shown = orderOf(response.json)
      const isEnded = shown.status === statusAfter[closing]
      if (!isEnded) model.problem(`the request to ${closing} an order returned order ${model.orders.describe(shown)}`)
      return model.closedOrder(order, asked, shown)
    }
    const { code } = errorOf(response)
    if (code !== "order_closed") return callers.refused(response, `the request to ${closing} order ${id}`)
    model.refusedClosing(order, asked, code)
  }

  /** Reads an order, and sometimes its pet. Neither may be older than the acknowledged state (sentence 4.5.16). */
  const read = async (client: Client, order: KnownOrder): Promise<void> => {
    const { id, petId } = order.first
    const beganAtMillis = performance.now()
    const response = await callers.send(client, { path: `/store/orders/${id}` })
    if (response === undefined) return
    if (response.status !== 200) return callers.refused(response, `reading acknowledged order ${id}`)
    model.showOrder(order, orderOf(response.json), beganAtMillis)
    if (order.shown.status === "completed") await readPet(callers, client, model.pets.get(petId), false)
  }
  return {
    run: () => callers.run(random, [buyers, buy], [1, crowd]),
    settle: () => creates.settle(10, random),
  }
}
