/** A round's orders: clients that order the same pets, close orders, repeat requests and read orders. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Closing, type Order, orderOf, statusAfter } from "@petstore/conformance/store-orders"
import type { Client } from "@petstore/harness/client"
import { errorOf, petOf } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import type { Callers } from "./callers.ts"
import type { ChangeLoad } from "./change-load.ts"
import { Creates, keyHeaders } from "./creates.ts"
import type { KnownOrder, Ledger } from "./ledger.ts"

const buyers = 3
/** The number of clients that order one pet at the same time. */
const crowd = 8
/** The number of recent orders from which buyers choose one to close or read. */
const recent = 30

export class OrderLoad {
  readonly #callers: Callers
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #creates: Creates<bigint>

  readonly #changes: ChangeLoad

  constructor(callers: Callers, changes: ChangeLoad, seed: number) {
    this.#changes = changes
    const { ledger } = callers
    this.#callers = callers
    this.#ledger = ledger
    this.#random = new Random(seed)
    this.#creates = new Creates(callers, ledger.orders, {
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
  }

  /** Runs until the callers stop. Never rejects. */
  run(): Promise<void> {
    const gather = this.#callers.repeat(30, 150, (random) => this.#crowd(random))
    return this.#callers.run(this.#random, [buyers, (random) => this.#buy(random)], [1, gather])
  }

  /** Repeats requests until their outcomes are known. Call this after the service has recovered. */
  settle(): Promise<void> {
    return this.#creates.settle(10, this.#random)
  }

  #buy(random: Random): Promise<void> {
    return this.#callers.keepCalling(async (client) => {
      if (random.chance(0.45)) {
        const intent = this.#ledger.newOrder(random)
        if (intent !== undefined) await this.#creates.persist(client, intent, 0.2, random)
      } else {
        const order = random.pickAny(this.#ledger.orders.known.slice(-recent))
        if (order !== undefined) await this.#follow(client, order, random)
      }
      await sleep(random.integer(0, 20))
    })
  }

  /** Closes an order, sometimes in both ways or more than once, or reads it. */
  async #follow(client: Client, order: KnownOrder, random: Random): Promise<void> {
    if (random.chance(0.3)) return this.#read(client, order)
    // More orders are cancelled than completed, so that pets are ordered again.
    await this.#close(client, order, random.chance(0.65) ? "cancel" : "complete")
    if (random.chance(0.2)) await this.#close(client, order, random.chance(0.5) ? "cancel" : "complete")
    if (random.chance(0.3)) await this.#read(client, order)
  }

  /** Has many clients order the same pet at once. */
  async #crowd(random: Random): Promise<void> {
    const wanted = this.#ledger.newOrder(random)
    if (wanted === undefined) return
    await this.#callers.atOnce(crowd, (client, index) => {
      if (index === 1) return this.#changes.changeOrdered(client, wanted.given, random)
      // Half of the clients send the same request, if it has a key.
      const isShared = index === 0 || (index % 2 === 0 && wanted.idempotencyKey !== undefined)
      return this.#creates.attempt(client, isShared ? wanted : this.#ledger.newOrderOf(wanted.given, random))
    })
  }

  async #close(client: Client, order: KnownOrder, closing: Closing): Promise<void> {
    const { id } = order.first
    const response = await this.#callers.send(client, { method: "POST", path: `/store/orders/${id}/${closing}` }, () =>
      this.#ledger.closingOrder(order, closing),
    )
    if (response === undefined) return
    if (response.status === 200) return this.#ledger.showOrder(order, this.#ended(orderOf(response.json), closing))
    const { code } = errorOf(response)
    if (code !== "order_closed") return this.#callers.refused(response, `${closing} of order ${id}`)
    const other = closing === "complete" ? "cancel" : "complete"
    if (!order.asked.has(statusAfter[other]) || order.shown.status === statusAfter[closing]) {
      this.#ledger.problem(
        `${closing} of ${this.#ledger.orders.describe(order.shown)} was refused: ${response.text.slice(0, 200)}`,
      )
    }
  }

  #ended(order: Order, closing: Closing): Order {
    if (order.status !== statusAfter[closing]) this.#ledger.problem(`${closing} returned ${this.#ledger.orders.describe(order)}`)
    return order
  }

  /** Reads an order, and its pet if the pet was sold. Neither may be older than the acknowledged state (sentence 4.5.16). */
  async #read(client: Client, order: KnownOrder): Promise<void> {
    const { id, petId } = order.first
    const before = order.shown
    const response = await this.#callers.send(client, { path: `/store/orders/${id}` })
    if (response === undefined) return
    if (response.status !== 200) return this.#callers.refused(response, `reading acknowledged order ${id}`)
    const shown = orderOf(response.json)
    if (before.status !== "placed" && shown.status === "placed") {
      this.#ledger.problem(`order ${id} was shown as placed after it was ${before.status}`)
    }
    this.#ledger.showOrder(order, shown)
    if (before.status !== "completed" || !this.#ledger.isLeftToOrders(petId)) return
    const pet = await this.#callers.send(client, { path: `/pets/${petId}` })
    if (pet === undefined || !this.#ledger.isLeftToOrders(petId)) return
    if (pet.status !== 200) this.#callers.refused(pet, `reading sold pet ${petId}`)
    else if (petOf(pet.json).status !== "sold") this.#ledger.problem(`sold pet ${petId} was shown as ${petOf(pet.json).status}`)
  }
}
