/** What was asked of orders and what was acknowledged: the part of the ledger that is about orders. It never learns from the lists. */
import type { Closing, Order } from "@petstore/conformance/store-orders"
import type { Random } from "@petstore/harness/random"
import type { Ledger, Wish } from "./ledger.ts"

/** One order that somebody wanted, whatever came of it. */
export interface OrderWish {
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
  readonly wish: OrderWish
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
  readonly #wishes: Array<OrderWish> = []
  readonly #wishesOfPet = new Map<bigint, Array<OrderWish>>()
  readonly #known: Array<KnownOrder> = []
  readonly #byId = new Map<bigint, KnownOrder>()
  #idsGivenTwice = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Orders in the order in which they were acknowledged. */
  get known(): ReadonlyArray<KnownOrder> {
    return this.#known
  }

  /** How often an id was acknowledged for two orders, or a second id for one idempotency key. */
  get idsGivenTwice(): number {
    return this.#idsGivenTwice
  }

  /** What is known of an order. */
  knownOf(id: bigint): KnownOrder | undefined {
    return this.#byId.get(id)
  }

  /** Most orders that a pet may have. */
  mostOrders(pet: bigint): number {
    return (this.#wishesOfPet.get(pet) ?? []).reduce((sum, { idempotencyKey, acknowledged, unknown }) => {
      const most = acknowledged.size + unknown
      return sum + (idempotencyKey === undefined ? most : Math.min(most, 1))
    }, 0)
  }

  /** A new wish for a pet that was acknowledged lately, and that can be ordered in most cases; nothing if there is none yet. */
  wish(random: Random): OrderWish | undefined {
    const latest = this.#ledger.acknowledgedIds.slice(-4 * wantedAtOnce)
    const available = latest.filter((id) => this.#petWish(id).given.status === "available").slice(-wantedAtOnce)
    const [first, ...others] = random.chance(0.9) ? available : latest
    return first === undefined ? undefined : this.wishFor(random.pick([first, ...others]), random)
  }

  wishFor(pet: bigint, random: Random): OrderWish {
    const number = this.#wishes.length
    const idempotencyKey = random.chance(0.5) ? `order-${number}-${random.seed()}` : undefined
    const wish = { pet, idempotencyKey, sent: 0, unknown: 0, acknowledged: new Set<bigint>() }
    this.#wishes.push(wish)
    const ofPet = this.#wishesOfPet.get(pet)
    if (ofPet === undefined) this.#wishesOfPet.set(pet, [wish])
    else ofPet.push(wish)
    return wish
  }

  /** Takes note of a request that is about to leave: from now on its pet may be pending. */
  sending(wish: OrderWish): void {
    wish.sent += 1
    wish.unknown += 1
    this.#petWish(wish.pet).statuses.add("pending")
  }

  /** Takes note of a 201. */
  acknowledge(wish: OrderWish, order: Order): void {
    wish.unknown -= 1
    const is = `the 201 for an order of pet ${wish.pet}`
    if (order.petId !== wish.pet) this.#ledger.problem(`${is} has an order of pet ${order.petId}`)
    if (order.status !== "placed" || order.updatedAt !== order.createdAt)
      this.#ledger.problem(`${is} has not been placed just now`)
    if (this.#petWish(wish.pet).given.status !== "available") this.#ledger.problem(`${is}, which never was available`)
    const known = this.#byId.get(order.id)
    const isSecondOfKey = wish.idempotencyKey !== undefined && wish.acknowledged.size > 0 && !wish.acknowledged.has(order.id)
    const isTaken = known !== undefined && (known.wish !== wish || wish.idempotencyKey === undefined)
    if (isSecondOfKey) this.#ledger.problem(`an idempotency key made a second order of pet ${wish.pet}, ${order.id}`)
    if (isTaken) this.#ledger.problem(`the order ${order.id} of pet ${known.placed.petId} was given again, for pet ${wish.pet}`)
    if (isSecondOfKey || isTaken) this.#idsGivenTwice += 1
    else if (known !== undefined && known.placed.createdAt !== order.createdAt) {
      this.#ledger.problem(`${is} was created at ${known.placed.createdAt} and now at ${order.createdAt}`)
    }
    wish.acknowledged.add(order.id)
    if (known !== undefined) return
    const added = { wish, placed: order, shown: order, asked: new Set<Closing>() }
    this.#known.push(added)
    this.#byId.set(order.id, added)
  }

  /** Takes note of a 409: this request made nothing, and the pet must have had a reason to refuse it. One that repeats an acknowledged request is never refused. */
  refused(wish: OrderWish, isRepeated: boolean): void {
    wish.unknown -= 1
    const sent = (this.#wishesOfPet.get(wish.pet) ?? []).reduce((sum, other) => sum + other.sent, 0)
    if (sent === 1 && this.#petWish(wish.pet).given.status === "available") {
      this.#ledger.problem(`the available pet ${wish.pet} was refused to the first who wanted it`)
    }
    if (isRepeated) {
      this.#ledger.problem(`an idempotency key that made an order of pet ${wish.pet} was refused when it was repeated`)
    }
  }

  /** Takes note of an end that is about to be asked for: from now on the pet may be as it says. */
  asking(order: KnownOrder, closing: Closing): void {
    order.asked.add(closing)
    if (closing === "complete") this.#petWish(order.placed.petId).statuses.add("sold")
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

  #petWish(id: bigint): Wish {
    const wish = this.#ledger.wishOfId(id)
    if (wish === undefined) throw new Error(`the pet ${id} was never acknowledged`)
    return wish
  }
}

export const describeOrder = ({ id, petId, status, createdAt, updatedAt }: Order): string =>
  `${id} of pet ${petId}, ${status}, created at ${createdAt}, updated at ${updatedAt}`
