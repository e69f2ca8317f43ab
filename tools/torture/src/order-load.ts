/** The orders of a round: callers that want the same pets at once, complete and cancel, repeat themselves, and read what they were told. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Closing, type Order, orderOf } from "@petstore/conformance/store-orders"
import type { Client } from "@petstore/harness/client"
import { errorOf, petOf } from "@petstore/harness/expectations"
import { Random } from "@petstore/harness/random"
import { type Callers, type Outcome, untilKnown } from "./callers.ts"
import type { Ledger } from "./ledger.ts"
import { describeOrder, type KnownOrder, type OrderIntent, type OrderLedger, statusAfter } from "./order-ledger.ts"

const buyers = 3
/** Callers that want one pet in the same moment. */
const crowd = 8
/** The latest orders, among which buyers choose the one that they end or read. */
const recent = 30

export class OrderLoad {
  readonly #callers: Callers
  readonly #ledger: Ledger
  readonly #orders: OrderLedger
  readonly #random: Random
  readonly #intents: Array<OrderIntent> = []

  constructor(callers: Callers, orders: OrderLedger, seed: number) {
    this.#callers = callers
    this.#ledger = callers.ledger
    this.#orders = orders
    this.#random = new Random(seed)
  }

  /** Runs until the callers stop. Never rejects. */
  run(): Promise<void> {
    return this.#callers.wait([
      ...Array.from({ length: buyers }, () => this.#buy(new Random(this.#random.seed()))),
      this.#crowd(new Random(this.#random.seed())),
    ])
  }

  /** Repeats every keyed order of this load until it is known what became of it, and some that were acknowledged. To be called when the service is well again. */
  async settle(): Promise<void> {
    using client = this.#callers.newClient()
    const keyed = this.#intents.filter(({ idempotencyKey, sent }) => idempotencyKey !== undefined && sent > 0)
    for (const intent of keyed.filter(({ acknowledged, unknown }) => acknowledged.size === 0 && unknown > 0)) {
      if (await untilKnown(async () => (await this.#order(client, intent)) !== "unknown")) continue
      this.#ledger.problem(`an order of pet ${intent.pet} was never answered, although the service is well again`)
      break
    }
    const acknowledged = keyed.filter((intent) => intent.acknowledged.size > 0)
    for (const intent of this.#random.shuffle(acknowledged).slice(0, 10)) await this.#order(client, intent)
  }

  #buy(random: Random): Promise<void> {
    return this.#callers.keepCalling(async (client) => {
      if (random.chance(0.45)) {
        const intent = this.#orders.intent(random)
        if (intent !== undefined) {
          this.#intents.push(intent)
          const isKeyed = intent.idempotencyKey !== undefined
          await this.#callers.persist(() => this.#order(client, intent), isKeyed, 0.2, random)
        }
      } else {
        const [first, ...others] = this.#orders.known.slice(-recent)
        if (first !== undefined) await this.#follow(client, random.pick([first, ...others]), random)
      }
      await sleep(random.integer(0, 20))
    })
  }

  /** Ends an order, at times in both ways or more than once, or reads it. */
  async #follow(client: Client, order: KnownOrder, random: Random): Promise<void> {
    if (random.chance(0.3)) return this.#read(client, order)
    // More are cancelled than completed, so that a pet is ordered again.
    await this.#close(client, order, random.chance(0.65) ? "cancel" : "complete")
    if (random.chance(0.2)) await this.#close(client, order, random.chance(0.5) ? "cancel" : "complete")
    if (random.chance(0.3)) await this.#read(client, order)
  }

  /** Many want one pet at once, again and again. */
  async #crowd(random: Random): Promise<void> {
    while (!this.#callers.isStopping) {
      await sleep(random.integer(30, 150))
      const wanted = this.#orders.intent(random)
      if (wanted === undefined || this.#callers.isStopping) continue
      await this.#callers.atOnce(crowd, (client, index) => {
        // Half of them are the same request, if it has a key.
        const isShared = index === 0 || (index % 2 === 0 && wanted.idempotencyKey !== undefined)
        const intent = isShared ? wanted : this.#orders.intentFor(wanted.pet, random)
        this.#intents.push(intent)
        return this.#order(client, intent)
      })
    }
  }

  /** Sends an intent once, and tells what became of it as far as that is known. */
  async #order(client: Client, intent: OrderIntent): Promise<Outcome> {
    const { pet, idempotencyKey } = intent
    const isRepeated = intent.acknowledged.size > 0
    const answer = await this.#callers.send(
      client,
      {
        method: "POST",
        path: "/store/orders",
        body: `{"petId":${pet}}`,
        headers: idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`],
      },
      () => this.#orders.sending(intent),
    )
    if (answer === undefined) return "unknown"
    if (answer.status === 201) {
      this.#orders.acknowledge(intent, orderOf(answer.json))
      return "done"
    }
    const { code } = errorOf(answer)
    if (code === "pet_not_available") {
      this.#orders.refused(intent, isRepeated)
      return "refused"
    }
    this.#callers.refused(answer, `an order of pet ${pet}`)
    return answer.status === 503 ? "unknown" : "refused"
  }

  async #close(client: Client, order: KnownOrder, closing: Closing): Promise<void> {
    const { id } = order.placed
    const answer = await this.#callers.send(client, { method: "POST", path: `/store/orders/${id}/${closing}` }, () =>
      this.#orders.asking(order, closing),
    )
    if (answer === undefined) return
    if (answer.status === 200) return this.#orders.show(order, this.#ended(orderOf(answer.json), closing))
    const { code } = errorOf(answer)
    if (code !== "order_closed") return this.#callers.refused(answer, `${closing} of the order ${id}`)
    const other = closing === "complete" ? "cancel" : "complete"
    if (!order.asked.has(other) || order.shown.status === statusAfter[closing]) {
      this.#ledger.problem(`${closing} of ${describeOrder(order.shown)} was refused: ${answer.text.slice(0, 200)}`)
    }
  }

  #ended(order: Order, closing: Closing): Order {
    if (order.status !== statusAfter[closing]) this.#ledger.problem(`${closing} was answered with ${describeOrder(order)}`)
    return order
  }

  /** Reads an order, and its pet if that was sold: neither may be behind what was acknowledged (sentence 4.5.16). */
  async #read(client: Client, order: KnownOrder): Promise<void> {
    const { id, petId } = order.placed
    const before = order.shown
    const answer = await this.#callers.send(client, { path: `/store/orders/${id}` })
    if (answer === undefined) return
    if (answer.status !== 200) return this.#callers.refused(answer, `reading the acknowledged order ${id}`)
    const shown = orderOf(answer.json)
    if (before.status !== "placed" && shown.status === "placed") {
      this.#ledger.problem(`the order ${id} was shown as placed after it was ${before.status}`)
    }
    this.#orders.show(order, shown)
    if (before.status !== "completed") return
    const pet = await this.#callers.send(client, { path: `/pets/${petId}` })
    if (pet === undefined) return
    if (pet.status !== 200) this.#callers.refused(pet, `reading the sold pet ${petId}`)
    else if (petOf(pet.json).status !== "sold")
      this.#ledger.problem(`the sold pet ${petId} was shown as ${petOf(pet.json).status}`)
  }
}
