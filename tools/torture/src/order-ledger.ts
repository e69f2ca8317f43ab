/** What was asked of orders and what was acknowledged: the part of the ledger that is about orders. It never learns from the lists. */
import type { Closing, Order } from "@petstore/conformance/store-orders"
import type { Random } from "@petstore/harness/random"
import type { Intent, Ledger } from "./ledger.ts"

/** One order that somebody wanted, whatever came of it. */
export interface OrderIntent {
  readonly pet: bigint
  /** With an idempotency key, however many requests make one order; without, each may make one. */
  readonly idempotencyKey: string | undefined
  /** Requests that left whole. */
  sent: number
  /** Requests that left whole and of which nobody knows what they did. */
  unknown: number
  /** The ids of its 201s. */
  readonly acknowledged: Set<bigint>
}

/** An order that was acknowledged. */
export interface KnownOrder {
  readonly intent: OrderIntent
  /** As the 201 had it. */
  readonly placed: Order
  /** As it was shown last. */
  shown: Order
  /** The ends that were asked for. */
  readonly asked: Set<Closing>
}

/** The status that an end leads to. */
export const statusAfter: Readonly<Record<Closing, string>> = { complete: "completed", cancel: "cancelled" }

/** Pets that are wanted at a time: few, so that callers get in each other's way. */
const wantedAtOnce = 25

export class OrderLedger {
  readonly #ledger: Ledger
  readonly #intents: Array<OrderIntent> = []
  readonly #intentsOfPet = new Map<bigint, Array<OrderIntent>>()
  readonly #known: Array<KnownOrder> = []
  readonly #byId = new Map<bigint, KnownOrder>()
  /** How often an id was acknowledged for two orders, or a second id for one idempotency key. */
  idsGivenTwice = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Orders in the order in which they were acknowledged. */
  get known(): ReadonlyArray<KnownOrder> {
    return this.#known
  }

  /** What is known of an order. */
  knownOf(id: bigint): KnownOrder | undefined {
    return this.#byId.get(id)
  }

  /** Most orders that a pet may have. */
  mostOrders(pet: bigint): number {
    return (this.#intentsOfPet.get(pet) ?? []).reduce((sum, { idempotencyKey, acknowledged, unknown }) => {
      const most = acknowledged.size + unknown
      return sum + (idempotencyKey === undefined ? most : Math.min(most, 1))
    }, 0)
  }

  /** A new intent for a pet that was acknowledged lately, and that can be ordered in most cases; nothing if there is none yet. */
  intent(random: Random): OrderIntent | undefined {
    const latest = this.#ledger.acknowledgedIds.slice(-4 * wantedAtOnce)
    const available = latest.filter((id) => this.#petIntent(id).given.status === "available").slice(-wantedAtOnce)
    const [first, ...others] = random.chance(0.9) ? available : latest
    return first === undefined ? undefined : this.intentFor(random.pick([first, ...others]), random)
  }

  intentFor(pet: bigint, random: Random): OrderIntent {
    const number = this.#intents.length
    const idempotencyKey = random.chance(0.5) ? `order-${number}-${random.seed()}` : undefined
    const intent = { pet, idempotencyKey, sent: 0, unknown: 0, acknowledged: new Set<bigint>() }
    this.#intents.push(intent)
    const ofPet = this.#intentsOfPet.get(pet)
    if (ofPet === undefined) this.#intentsOfPet.set(pet, [intent])
    else ofPet.push(intent)
    return intent
  }

  /** Takes note of a request that is about to leave: from now on its pet may be pending. */
  sending(intent: OrderIntent): void {
    intent.sent += 1
    intent.unknown += 1
    this.#petIntent(intent.pet).statuses.add("pending")
  }

  /** Takes note of a 201. */
  acknowledge(intent: OrderIntent, order: Order): void {
    intent.unknown -= 1
    const is = `the 201 for an order of pet ${intent.pet}`
    if (order.petId !== intent.pet) this.#ledger.problem(`${is} has an order of pet ${order.petId}`)
    if (order.status !== "placed" || order.updatedAt !== order.createdAt)
      this.#ledger.problem(`${is} has not been placed just now`)
    if (this.#petIntent(intent.pet).given.status !== "available") this.#ledger.problem(`${is}, which never was available`)
    const known = this.#byId.get(order.id)
    const isSecondOfKey =
      intent.idempotencyKey !== undefined && intent.acknowledged.size > 0 && !intent.acknowledged.has(order.id)
    const isTaken = known !== undefined && (known.intent !== intent || intent.idempotencyKey === undefined)
    if (isSecondOfKey) this.#ledger.problem(`an idempotency key made a second order of pet ${intent.pet}, ${order.id}`)
    if (isTaken) this.#ledger.problem(`the order ${order.id} of pet ${known.placed.petId} was given again, for pet ${intent.pet}`)
    if (isSecondOfKey || isTaken) this.idsGivenTwice += 1
    else if (known !== undefined && known.placed.createdAt !== order.createdAt) {
      this.#ledger.problem(`${is} was created at ${known.placed.createdAt} and now at ${order.createdAt}`)
    }
    intent.acknowledged.add(order.id)
    if (known !== undefined) return
    const added = { intent, placed: order, shown: order, asked: new Set<Closing>() }
    this.#known.push(added)
    this.#byId.set(order.id, added)
  }

  /** Takes note of a 409: this request made nothing, and the pet must have had a reason to refuse it. One that repeats an acknowledged request is never refused. */
  refused(intent: OrderIntent, isRepeated: boolean): void {
    intent.unknown -= 1
    const sent = (this.#intentsOfPet.get(intent.pet) ?? []).reduce((sum, other) => sum + other.sent, 0)
    if (sent === 1 && this.#petIntent(intent.pet).given.status === "available") {
      this.#ledger.problem(`the available pet ${intent.pet} was refused to the first who wanted it`)
    }
    if (isRepeated) {
      this.#ledger.problem(`an idempotency key that made an order of pet ${intent.pet} was refused when it was repeated`)
    }
  }

  /** Takes note of an end that is about to be asked for: from now on the pet may be as it says. */
  asking(order: KnownOrder, closing: Closing): void {
    order.asked.add(closing)
    if (closing === "complete") this.#petIntent(order.placed.petId).statuses.add("sold")
  }

  /** Takes note of an order that an answer shows. One that ended stays as it is. */
  show(order: KnownOrder, shown: Order): void {
    const { placed } = order
    const is = `the order ${placed.id} of pet ${placed.petId}`
    if (shown.id !== placed.id || shown.petId !== placed.petId || shown.createdAt !== placed.createdAt) {
      this.#ledger.problem(`${is}, created at ${placed.createdAt}, was shown as ${describeOrder(shown)}`)
    }
    if (shown.status === "placed") return
    if (order.shown.status !== "placed" && (order.shown.status !== shown.status || order.shown.updatedAt !== shown.updatedAt)) {
      this.#ledger.problem(`${is} was ${describeOrder(order.shown)} and then ${describeOrder(shown)}`)
    }
    order.shown = shown
  }

  #petIntent(id: bigint): Intent {
    const intent = this.#ledger.intentOfId(id)
    if (intent === undefined) throw new Error(`the pet ${id} was never acknowledged`)
    return intent
  }
}

export const describeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `${id} of pet ${petId}, ${status}, created at ${createdAt}, updated at ${updatedAt}`
