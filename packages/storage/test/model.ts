/** The specification as a simple program: a store without persistence. It shares no code with the adapters. */
import type { OrderClosing, OrderStatus, PetStatus, ValidNewPet } from "@petstore/core"

/** A pet in the model. `number` counts pets in creation order; the store's identifiers differ. */
export interface ModelPet {
  readonly number: number
  readonly given: ValidNewPet
  status: PetStatus | undefined
}

export interface ModelOrder {
  readonly number: number
  readonly pet: number
  status: OrderStatus
  readonly createdAtMillis: number
  updatedAtMillis: number
}

/** An order's state at a point in time. */
export type ModelOrderState = Readonly<ModelOrder>

export interface ModelClaim {
  readonly account: string
  readonly operation: string
  readonly key: string
  readonly fingerprint: string
  readonly claimedAtMillis: number
  readonly expiresAtMillis: number
}

/** Why an operation failed: the failure's tag. */
export type Refusal = "IdempotencyKeyReused" | "PetNotFound" | "PetNotAvailable" | "OrderNotFound" | "OrderClosed"

export class Model {
  readonly pets: Array<ModelPet> = []
  readonly orders: Array<ModelOrder> = []
  readonly #claims = new Map<string, { readonly claim: ModelClaim; readonly result: unknown }>()

  createPet(given: ValidNewPet): ModelPet {
    const pet = { number: this.pets.length, given, status: given.status }
    this.pets.push(pet)
    return pet
  }

  /**
   * Runs the work for a key's first request, and returns its result for every later request until the claim expires.
   * Refusals are not stored.
   */
  once<A>(claim: ModelClaim, work: () => A | Refusal): A | Refusal {
    const name = JSON.stringify([claim.account, claim.operation, claim.key])
    const first = this.#claims.get(name)
    if (first !== undefined && first.claim.expiresAtMillis > claim.claimedAtMillis) {
      // Safe: a name includes the operation, so its result is a result of that operation.
      return first.claim.fingerprint === claim.fingerprint ? (first.result as A) : "IdempotencyKeyReused"
    }
    const result = work()
    if (typeof result !== "string") this.#claims.set(name, { claim, result })
    return result
  }

  listPets(status: PetStatus | undefined): ReadonlyArray<ModelPet> {
    return this.pets.filter((pet) => status === undefined || pet.status === status)
  }

  order(petNumber: number, atMillis: number): ModelOrderState | Refusal {
    const pet = this.pets[petNumber]
    if (pet === undefined) return "PetNotFound"
    if (pet.status !== "available") return "PetNotAvailable"
    pet.status = "pending"
    const number = this.orders.length
    const order: ModelOrder = { number, pet: petNumber, status: "placed", createdAtMillis: atMillis, updatedAtMillis: atMillis }
    this.orders.push(order)
    return { ...order }
  }

  close(orderNumber: number, closing: OrderClosing, atMillis: number): ModelOrderState | Refusal {
    const order = this.orders[orderNumber]
    if (order === undefined) return "OrderNotFound"
    const ended = closing === "complete" ? "completed" : "cancelled"
    if (order.status === ended) return { ...order }
    if (order.status !== "placed") return "OrderClosed"
    order.status = ended
    order.updatedAtMillis = atMillis
    const pet = this.pets[order.pet]
    if (pet !== undefined) pet.status = closing === "complete" ? "sold" : "available"
    return { ...order }
  }

  listOrders(status: OrderStatus | undefined): ReadonlyArray<ModelOrderState> {
    return this.orders.filter((order) => status === undefined || order.status === status)
  }
}
