/** The store as a sequential program: pets with their orders, and the results that idempotency keys keep. */
import { type Cell, type OrderStatus, ordering, type Rule, type Values } from "./rules.ts"

export interface ModelPet extends Values {
  readonly id: bigint
}

export interface ModelOrder {
  readonly id: bigint
  readonly petId: bigint
  readonly status: OrderStatus
  readonly note?: string
}

export interface ModelClaim {
  readonly name: string
  readonly fingerprint: string
  readonly atMillis: number
  readonly expiresAtMillis: number
}

const missing: Cell = { values: undefined, orders: new Map() }

export class Model {
  /** Each pet that ever existed. */
  readonly cells = new Map<bigint, Cell>()
  readonly #petOfOrder = new Map<bigint, bigint>()
  readonly #claims = new Map<string, { readonly claim: ModelClaim; readonly result: unknown }>()

  /** Adds a pet under an identifier that no pet had before. */
  create(id: bigint, values: Values): void {
    if (this.cells.has(id)) throw new Error(`the identifier ${id} was used before`)
    this.cells.set(id, { values, orders: new Map() })
  }

  /** Runs a request for a pet. Returns the code if the request is refused. */
  do(pet: bigint, rule: Rule): string | undefined {
    const to = rule(this.#cellOf(pet))
    if (typeof to === "string") return to
    this.cells.set(pet, to)
    return undefined
  }

  order(pet: bigint, id: bigint, note?: string): string | undefined {
    if (this.#petOfOrder.has(id)) throw new Error(`the identifier ${id} was used before`)
    const code = this.do(pet, ordering(id, note))
    if (code === undefined) this.#petOfOrder.set(id, pet)
    return code
  }

  /** Runs a request for an order. Returns the code if the request is refused. */
  doOf(order: bigint, rule: Rule): string | undefined {
    return this.do(this.#petOfOrder.get(order) ?? 0n, rule)
  }

  /** The pets that exist, by ascending identifier. */
  get pets(): ReadonlyArray<ModelPet> {
    return [...this.cells.keys()].sort(ascending).flatMap((id) => this.petOf(id) ?? [])
  }

  petOf(id: bigint): ModelPet | undefined {
    const values = this.#cellOf(id).values
    return values && { id, ...values }
  }

  get orders(): ReadonlyArray<ModelOrder> {
    return [...this.#petOfOrder.keys()].sort(ascending).flatMap((id) => this.orderOf(id) ?? [])
  }

  orderOf(id: bigint): ModelOrder | undefined {
    const petId = this.#petOfOrder.get(id)
    if (petId === undefined) return undefined
    const order = this.#cellOf(petId).orders.get(id)
    return order && { id, petId, ...order }
  }

  #cellOf(pet: bigint): Cell {
    return this.cells.get(pet) ?? missing
  }

  /** The result that a key keeps for a claim until it expires, a refusal, or nothing. */
  claimed<A>({ name, fingerprint, atMillis }: ModelClaim): A | "idempotency_key_reused" | undefined {
    const first = this.#claims.get(name)
    if (first === undefined || first.claim.expiresAtMillis <= atMillis) return undefined
    // Safe: a name includes the operation, so its result is a result of that operation.
    return first.claim.fingerprint === fingerprint ? (first.result as A) : "idempotency_key_reused"
  }

  claim(claim: ModelClaim, result: unknown): void {
    this.#claims.set(claim.name, { claim, result })
  }
}

const ascending = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0)
