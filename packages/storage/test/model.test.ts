/** Runs random sequences of operations on every adapter and on the model. Both must return the same results in the same order. */
import {
  type IdempotencyClaim,
  type Order,
  type OrderClosing,
  OrderId,
  OrderRepository,
  type OrderStatus,
  type Pet,
  PetId,
  PetRepository,
  type PetStatus,
  type ValidNewPet,
} from "@petstore/core"
import { Data, Effect, Either, Option, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { adapters } from "./adapters.js"
import { Model, type ModelOrderState, type ModelPet, type Refusal } from "./model.js"

/**
 * The operations as data. Pets and orders are numbered in creation order; unassigned numbers stand for unknown pets and orders.
 */
type Operation =
  | { readonly kind: "create"; readonly pet: ValidNewPet }
  | { readonly kind: "create once"; readonly pet: ValidNewPet; readonly key: string; readonly account: string }
  | { readonly kind: "import"; readonly pets: ReadonlyArray<ValidNewPet>; readonly fails: boolean }
  | { readonly kind: "find"; readonly pet: number }
  | { readonly kind: "list"; readonly status: PetStatus | undefined; readonly limit: number }
  | { readonly kind: "order"; readonly pet: number }
  | { readonly kind: "order once"; readonly pet: number; readonly key: string; readonly account: string }
  | { readonly kind: "close"; readonly order: number; readonly closing: OrderClosing }
  | { readonly kind: "find order"; readonly order: number }
  | { readonly kind: "list orders"; readonly status: OrderStatus | undefined; readonly limit: number }
  | { readonly kind: "wait"; readonly millis: number }
  | { readonly kind: "create together"; readonly pet: ValidNewPet; readonly count: number }
  | { readonly kind: "create once together"; readonly pet: ValidNewPet; readonly key: string; readonly count: number }
  | { readonly kind: "order together"; readonly pet: number; readonly count: number }

const petStatus = fc.constantFrom<PetStatus>("available", "pending", "sold")

/** Few different values, so that requests repeat. */
const newPet: fc.Arbitrary<ValidNewPet> = fc
  .tuple(
    fc.constantFrom("Bello", " É 🐕 ", "'; DROP TABLE pets; --", "\u202e\ud83d\ude00\u0007"),
    fc.constantFrom(0n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n),
    fc.option(petStatus, { nil: undefined }),
  )
  .map(([name, categoryId, status]) => (status === undefined ? { name, categoryId } : { name, categoryId, status }))

/** A sequence is long enough that most of these numbers exist. */
const number = fc.nat({ max: 14 })
const key = fc.constantFrom("a", "b")
const account = fc.constantFrom("acc_one", "acc_two")
const limit = fc.integer({ min: 1, max: 12 })
const count = fc.integer({ min: 2, max: 6 })

/** A constant with a literal type instead of `string`. */
const kind = <Kind extends Operation["kind"]>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: kind("create"), pet: newPet }),
  fc.record({ kind: kind("create once"), pet: newPet, key, account }),
  fc.record({ kind: kind("import"), pets: fc.array(newPet, { maxLength: 5 }), fails: fc.boolean() }),
  fc.record({ kind: kind("find"), pet: number }),
  fc.record({ kind: kind("list"), status: fc.option(petStatus, { nil: undefined }), limit }),
  fc.record({ kind: kind("order"), pet: number }),
  fc.record({ kind: kind("order once"), pet: number, key, account }),
  fc.record({ kind: kind("close"), order: fc.nat({ max: 5 }), closing: fc.constantFrom<OrderClosing>("complete", "cancel") }),
  fc.record({ kind: kind("find order"), order: fc.nat({ max: 5 }) }),
  fc.record({
    kind: kind("list orders"),
    status: fc.option(fc.constantFrom<OrderStatus>("placed", "completed", "cancelled"), { nil: undefined }),
    limit,
  }),
  // A claim is valid for a day.
  fc.record({ kind: kind("wait"), millis: fc.constantFrom(1, 1000, 13 * 3_600_000, 24 * 3_600_000) }),
  fc.record({ kind: kind("create together"), pet: newPet, count }),
  fc.record({ kind: kind("create once together"), pet: newPet, key, count }),
  fc.record({ kind: kind("order together"), pet: number, count }),
)

class ImportBroke extends Data.TaggedError("ImportBroke") {}

/** A fingerprint that is the same only for the same pet. */
const fingerprintOf = ({ name, categoryId, status }: ValidNewPet): string => JSON.stringify([name, String(categoryId), status])

const dayMillis = 24 * 3_600_000

/** A store and a model. Translates the store's results into the model's numbers, and compares them with the model's results. */
class Comparison {
  readonly #model = new Model()
  readonly #pets: PetRepository["Type"]
  readonly #orders: OrderRepository["Type"]
  readonly #petIds: Array<PetId> = []
  readonly #orderIds: Array<OrderId> = []
  #nowMillis = Date.UTC(2026, 0, 1)

  constructor(pets: PetRepository["Type"], orders: OrderRepository["Type"]) {
    this.#pets = pets
    this.#orders = orders
  }

  /** Runs one operation on the store and on the model. */
  async do(operation: Operation): Promise<void> {
    const model = this.#model
    switch (operation.kind) {
      case "create":
        return this.#samePet(model.createPet(operation.pet), await this.#answer(this.#pets.insert(operation.pet)))
      case "create once": {
        const claim = this.#claim("POST /v1/pets", operation, fingerprintOf(operation.pet))
        const expected = model.once(claim.ofModel, () => ({ ...model.createPet(operation.pet) }))
        return this.#samePet(expected, await this.#answer(this.#insertOnce(operation.pet, claim.ofStore)))
      }
      case "import":
        return this.#import(operation.pets, operation.fails)
      case "find": {
        const found = await this.#answer(this.#pets.find(this.#petId(operation.pet)))
        const expected = model.pets[operation.pet]
        return expect(found).toStrictEqual(Option.fromNullable(expected && this.#petOf(expected)))
      }
      case "list":
        return this.#listPets(operation.status, operation.limit)
      case "order": {
        const expected = model.order(operation.pet, this.#nowMillis)
        return this.#sameOrder(expected, await this.#answer(this.#orders.insert(this.#petId(operation.pet), this.#now())))
      }
      case "order once": {
        const claim = this.#claim("POST /v1/store/orders", operation, String(operation.pet))
        const expected = model.once(claim.ofModel, () => model.order(operation.pet, this.#nowMillis))
        return this.#sameOrder(
          expected,
          await this.#answer(
            Effect.map(this.#orders.insertOnce(this.#petId(operation.pet), claim.ofStore), ({ value }) => value),
          ),
        )
      }
      case "close": {
        const expected = model.close(operation.order, operation.closing, this.#nowMillis)
        const id = this.#orderId(operation.order)
        return this.#sameOrder(expected, await this.#answer(this.#orders.close(id, operation.closing, this.#now())))
      }
      case "find order": {
        const found = await this.#answer(this.#orders.find(this.#orderId(operation.order)))
        const expected = model.orders[operation.order]
        return expect(found).toStrictEqual(Option.fromNullable(expected && this.#orderOf(expected)))
      }
      case "list orders":
        return this.#listOrders(operation.status, operation.limit)
      case "wait":
        this.#nowMillis += operation.millis
        return
      case "create together": {
        const answers = await this.#together(operation.count, this.#pets.insert(operation.pet))
        for (const answer of answers) this.#samePet(model.createPet(operation.pet), answer)
        return
      }
      case "create once together":
        return this.#createOnceTogether(operation)
      case "order together": {
        const answers = await this.#together(operation.count, this.#orders.insert(this.#petId(operation.pet), this.#now()))
        // The model's first order succeeds, so the store's successful order is compared first.
        const winnersFirst = answers.toSorted((one, other) => Number(isRefusal(one)) - Number(isRefusal(other)))
        for (const answer of winnersFirst) this.#sameOrder(model.order(operation.pet, this.#nowMillis), answer)
      }
    }
  }

  /** Compares the entire content. */
  async compareAll(): Promise<void> {
    for (const status of [undefined, "available", "pending", "sold"] as const) await this.#listPets(status, 7)
    for (const status of [undefined, "placed", "completed", "cancelled"] as const) await this.#listOrders(status, 7)
  }

  async #import(pets: ReadonlyArray<ValidNewPet>, fails: boolean): Promise<void> {
    const batches = Stream.concat(Stream.make(pets), fails ? Stream.fail(new ImportBroke()) : Stream.empty)
    const answer = await this.#answer(this.#pets.insertAll(batches))
    if (fails) return expect(answer).toBe("ImportBroke")
    expect(answer).toBe(pets.length)
    const made = pets.map((pet) => this.#model.createPet(pet))
    // An import returns no identifiers. The new pets are the ones with unknown identifiers, in stream order.
    const known = new Set<bigint>(this.#petIds)
    const all = await this.#answer(this.#pets.list({ status: Option.none(), after: Option.none(), limit: 10_000 }))
    const added = typeof all === "string" ? [] : all.filter(({ id }) => !known.has(id))
    expect(added).toHaveLength(made.length)
    for (const [index, pet] of made.entries()) this.#samePet(pet, added[index] ?? "PetNotFound")
  }

  #insertOnce(pet: ValidNewPet, claim: IdempotencyClaim) {
    return Effect.map(this.#pets.insertOnce(pet, claim), ({ value }) => value)
  }

  async #createOnceTogether(operation: Extract<Operation, { kind: "create once together" }>): Promise<void> {
    const claim = this.#claim("POST /v1/pets", { ...operation, account: "acc_one" }, fingerprintOf(operation.pet))
    const answers = await this.#together(operation.count, this.#insertOnce(operation.pet, claim.ofStore))
    for (const answer of answers) {
      const expected = this.#model.once(claim.ofModel, () => ({ ...this.#model.createPet(operation.pet) }))
      this.#samePet(expected, answer)
    }
  }

  async #listPets(status: PetStatus | undefined, limit: number): Promise<void> {
    const selection = { status: Option.fromNullable(status), limit }
    const expected = this.#model.listPets(status).map((pet) => this.#petOf(pet))
    const pages = await this.#walk(expected.length, limit, (after: Option.Option<PetId>) =>
      this.#answer(this.#pets.list({ ...selection, after })),
    )
    expect(pages).toStrictEqual(expected.toSorted(byId))
  }

  async #listOrders(status: OrderStatus | undefined, limit: number): Promise<void> {
    const selection = { status: Option.fromNullable(status), limit }
    const expected = this.#model.listOrders(status).map((order) => this.#orderOf(order))
    const pages = await this.#walk(expected.length, limit, (after: Option.Option<OrderId>) =>
      this.#answer(this.#orders.list({ ...selection, after })),
    )
    expect(pages).toStrictEqual(expected.toSorted(byId))
  }

  /** Reads page after page, up to the maximum possible number of pages. */
  async #walk<Id, A extends { readonly id: Id }>(
    most: number,
    limit: number,
    page: (after: Option.Option<Id>) => Promise<ReadonlyArray<A> | string>,
  ): Promise<ReadonlyArray<A>> {
    const seen: Array<A> = []
    for (let pages = 0; pages <= most / limit; pages += 1) {
      const items = await page(Option.fromNullable(seen.at(-1)?.id))
      expect(items).toBeInstanceOf(Array)
      expect(items.length).toBeLessThanOrEqual(limit)
      if (typeof items !== "string") seen.push(...items)
    }
    return seen
  }

  #samePet(expected: ModelPet | Refusal, answer: Pet | number | string): void {
    if (typeof expected === "string" || typeof answer !== "object") {
      expect(answer).toBe(expected)
      return
    }
    // The first result with a pet contains the pet's identifier, which must be new.
    if (this.#petIds[expected.number] === undefined) {
      expect(this.#petIds).not.toContain(answer.id)
      this.#petIds[expected.number] = answer.id
    }
    expect(answer).toStrictEqual(this.#petOf(expected))
  }

  #sameOrder(expected: ModelOrderState | Refusal, answer: Order | string): void {
    if (typeof expected === "string" || typeof answer === "string") {
      expect(answer).toBe(expected)
      return
    }
    if (this.#orderIds[expected.number] === undefined) {
      expect(this.#orderIds).not.toContain(answer.id)
      this.#orderIds[expected.number] = answer.id
    }
    expect(answer).toStrictEqual(this.#orderOf(expected))
  }

  #petOf({ number: place, given: { name, categoryId }, status }: ModelPet): Pet {
    const id = this.#petId(place)
    return status === undefined ? { id, name, categoryId } : { id, name, categoryId, status }
  }

  #orderOf({ number: place, pet, status, createdAtMillis, updatedAtMillis }: ModelOrderState): Order {
    const timestamps = { createdAt: new Date(createdAtMillis), updatedAt: new Date(updatedAtMillis) }
    return { id: this.#orderId(place), petId: this.#petId(pet), status, ...timestamps }
  }

  /** An unknown pet gets an identifier that such a small store never assigns. */
  #petId(place: number): PetId {
    return this.#petIds[place] ?? PetId.make(2n ** 62n + BigInt(place))
  }

  #orderId(place: number): OrderId {
    return this.#orderIds[place] ?? OrderId.make(2n ** 62n + BigInt(place))
  }

  #now(): Date {
    return new Date(this.#nowMillis)
  }

  #claim(operation: string, { key: name, account: of }: { readonly key: string; readonly account: string }, fingerprint: string) {
    const claimedAtMillis = this.#nowMillis
    const expiresAtMillis = claimedAtMillis + dayMillis
    const ofStore: IdempotencyClaim = {
      accountId: of,
      operation,
      key: name,
      fingerprint,
      claimedAt: new Date(claimedAtMillis),
      expiresAt: new Date(expiresAtMillis),
    }
    return { ofStore, ofModel: { account: of, operation, key: name, fingerprint, claimedAtMillis, expiresAtMillis } }
  }

  /** An operation's result, or its failure's tag. */
  #answer<A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Promise<A | string> {
    return Effect.runPromise(
      Effect.map(
        Effect.either(effect),
        Either.getOrElse(({ _tag }) => _tag),
      ),
    )
  }

  #together<A, E extends { readonly _tag: string }>(
    times: number,
    effect: Effect.Effect<A, E>,
  ): Promise<ReadonlyArray<A | string>> {
    return Promise.all(Array.from({ length: times }, () => this.#answer(effect)))
  }
}

const isRefusal = (answer: unknown): boolean => typeof answer === "string"

const byId = (one: { readonly id: bigint }, other: { readonly id: bigint }): number => (one.id < other.id ? -1 : 1)

describe.each(adapters)("$name", ({ empty }) => {
  it("returns the same results as the model for random sequences of operations", () =>
    fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 60, size: "max" }), (operations) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.provide(
              Effect.flatMap(Effect.zip(PetRepository, OrderRepository), ([pets, orders]) =>
                Effect.promise(async () => {
                  const comparison = new Comparison(pets, orders)
                  for (const one of operations) await comparison.do(one)
                  await comparison.compareAll()
                }),
              ),
              empty,
            ),
          ),
        ),
      ),
      { seed: 8, numRuns: 10 },
    ))
})
