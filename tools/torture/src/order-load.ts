/** A round's orders: clients that order the same pets, close orders, repeat requests and read orders. */
import { type Closing, orderOf, statusAfter } from "@petstore/conformance/store-orders"
import type { Client } from "@petstore/harness/client"
import { errorOf, petOf } from "@petstore/harness/expectations"
import type { Random } from "@petstore/harness/random"
import type { Callers } from "./callers.ts"
import type { ChangeLoad } from "./change-load.ts"
import { creating, keyHeaders } from "./creates.ts"
import type { KnownOrder } from "./ledger.ts"

const buyers = 3
const crowdSize = 8
/** The number of recent orders from which buyers choose one to close or read. */
const recent = 30

export const orderLoad = (callers: Callers, changes: ChangeLoad, random: Random) => {
  const { ledger } = callers
  const creates = creating(callers, ledger.orders, {
    requestOf: (intent) => ({
      method: "POST",
      path: "/store/orders",
      body: `{"petId":${intent.given}}`,
      headers: keyHeaders(intent),
    }),
    sending: (intent) => ledger.sendingOrder(intent),
    created: (intent, response) => ledger.acknowledgeOrder(intent, orderOf(response.json)),
    isRefusal: (intent, response, isRepeated) => {
      const { code } = errorOf(response)
      const isRemoved = code === "pet_not_found" && ledger.historyOf(intent.given).isRemovalAsked
      if (code !== "pet_not_available" && !isRemoved) return false
      ledger.refusedOrder(intent, isRepeated)
      return true
    },
  })

  const buy = callers.keepCalling(20, async (client, random) => {
    if (random.chance(0.45)) {
      const intent = ledger.newOrder(random)
      if (intent !== undefined) await creates.persist(client, intent, 0.2, random)
    } else {
      const order = random.pickAny(ledger.orders.known.slice(-recent))
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
    const wanted = ledger.newOrder(random)
    if (wanted === undefined) return
    await callers.atOnce(crowdSize, (client, index) => {
      if (index === 1) return changes.changeOrdered(client, wanted.given, random)
      // Half of the clients send the same request, if it has a key.
      const isShared = index === 0 || (index % 2 === 0 && wanted.idempotencyKey !== undefined)
      return creates.attempt(client, isShared ? wanted : ledger.newOrderOf(wanted.given, random))
    })
  })

  const close = async (client: Client, order: KnownOrder, closing: Closing): Promise<void> => {
    const { id } = order.first
    const response = await callers.send(client, { method: "POST", path: `/store/orders/${id}/${closing}` }, () =>
      ledger.closingOrder(order, closing),
    )
    if (response === undefined) return
    if (response.status === 200) {
      const shown = orderOf(response.json)
      const isEnded = shown.status === statusAfter[closing]
      if (!isEnded) ledger.problem(`the request to ${closing} an order returned order ${ledger.orders.describe(shown)}`)
      return ledger.showOrder(order, shown)
    }
    const { code } = errorOf(response)
    if (code !== "order_closed") return callers.refused(response, `the request to ${closing} order ${id}`)
    const other = closing === "complete" ? "cancel" : "complete"
    if (!order.asked.has(statusAfter[other]) || order.shown.status === statusAfter[closing]) {
      const { text } = response
      ledger.problem(`the request to ${closing} order ${ledger.orders.describe(order.shown)} was refused: ${text.slice(0, 200)}`)
    }
  }

  /** Reads an order, and its pet if the pet was sold. Neither may be older than the acknowledged state (sentence 4.5.16). */
  const read = async (client: Client, order: KnownOrder): Promise<void> => {
    const { id, petId } = order.first
    const before = order.shown
    const response = await callers.send(client, { path: `/store/orders/${id}` })
    if (response === undefined) return
    if (response.status !== 200) return callers.refused(response, `reading acknowledged order ${id}`)
    const shown = orderOf(response.json)
    if (before.status !== "placed" && shown.status === "placed") {
      ledger.problem(`order ${id} was shown as placed after it was ${before.status}`)
    }
    ledger.showOrder(order, shown)
    if (before.status !== "completed" || !ledger.isLeftToOrders(petId)) return
    const pet = await callers.send(client, { path: `/pets/${petId}` })
    if (pet === undefined || !ledger.isLeftToOrders(petId)) return
    if (pet.status !== 200) callers.refused(pet, `reading sold pet ${petId}`)
    else if (petOf(pet.json).status !== "sold") ledger.problem(`sold pet ${petId} was shown as ${petOf(pet.json).status}`)
  }
  return {
    run: () => callers.run(random, [buyers, buy], [1, crowd]),
    settle: () => creates.settle(10, random),
  }
}
