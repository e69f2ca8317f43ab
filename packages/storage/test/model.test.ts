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
  type ValidPetCorrection,
} from "@petstore/core"
import { Model } from "@petstore/model/model"
import { changing, closing } from "@petstore/model/rules"
import { Data, Effect, Either, Option, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { adapters } from "./adapters.js"

/**
 * The operations as data. Pets are numbered in creation order, and orders by identifier; other numbers stand for unknown ones.
 */
type Operation =
  | { readonly kind: "create"; readonly pet: ValidNewPet }
  | { readonly kind: "create once"; readonly pet: ValidNewPet; readonly key: string; readonly account: string }
  | { readonly kind: "import"; readonly pets: ReadonlyArray<ValidNewPet>; readonly fails: boolean }
  | { readonly kind: "find"; readonly pet: number }
  | { readonly kind: "list"; readonly status: PetStatus | undefined; readonly limit: number }
  | { readonly kind: "correct"; readonly pet: number; readonly correction: ValidPetCorrection }
  | { readonly kind: "remove"; readonly pet: number }
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
    fc.constantFrom<PetStatus | undefined>("available", "available", "pending", "sold", undefined),
  )
  .map(([name, categoryId, status]) => (status === undefined ? { name, categoryId } : { name, categoryId, status }))

const correction: fc.Arbitrary<ValidPetCorrection> = fc.record(
  {
    name: fc.constantFrom("Bello", "Ada"),
    categoryId: fc.constantFrom(0n, 7n),
    status: fc.option(petStatus, { nil: null }),
  },
  { requiredKeys: [] },
)

/** A sequence is long enough that most of these numbers exist. */
const number = fc.nat({ max: 14 })
/** Few pets, so that a change often meets an order. */
const fewPets = fc.nat({ max: 4 })
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
  { weight: 4, arbitrary: fc.record({ kind: kind("correct"), pet: fewPets, correction }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("remove"), pet: fewPets }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("order"), pet: fewPets }) },
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

/** A store and a model. Runs each operation on both, and compares their results. The model uses the store's identifiers. */
class Comparison {
  readonly #model = new Model()
  readonly #timestamps = new Map<bigint, { readonly createdAt: Date; readonly updatedAt: Date }>()
  readonly #pets: PetRepository["Type"]
  readonly #orders: OrderRepository["Type"]
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
        return this.#created(operation.pet, await this.#answer(this.#pets.insert(operation.pet)))
      case "create once":
        return this.#createOnceTogether({ ...operation, count: 1 })
      case "import":
        return this.#import(operation.pets, operation.fails)
      case "find": {
        const id = this.#petId(operation.pet)
        const found = await this.#answer(this.#pets.find(id))
        return expect(found).toStrictEqual(Option.fromNullable(model.petOf(id)))
      }
      case "list":
        return this.#listPets(operation.status, operation.limit)
      case "correct": {
        const id = this.#petId(operation.pet)
        const [outcome] = await this.#mustAnswer(this.#pets.correctAll([[id, operation.correction]]))
        const code = model.do(id, changing(operation.correction))
        return expect(outcome).toBe(code === undefined ? "done" : { pet_not_found: "not-found", pet_reserved: "reserved" }[code])
      }
      case "remove": {
        const id = this.#petId(operation.pet)
        const found = await this.#mustAnswer(this.#pets.find(id))
        if (Option.isNone(found)) return expect(model.petOf(id)).toBeUndefined()
        const answer = await this.#answer(this.#pets.remove(found.value))
        return expect(answer).toBe(model.do(id, changing("remove")))
      }
      case "order": {
        const id = this.#petId(operation.pet)
        return this.#ordered(id, await this.#answer(this.#orders.insert({ petId: id }, this.#now())))
      }
      case "order once":
        return this.#orderOnce(operation)
      case "close": {
        const id = this.#orderId(operation.order)
        const before = model.orderOf(id)
        const answer = await this.#answer(this.#orders.close(id, operation.closing, this.#now()))
        const code = model.doOf(id, closing(id, operation.closing))
        const timestamps = this.#timestamps.get(id)
        if (timestamps !== undefined && before?.status === "placed") {
          this.#timestamps.set(id, { ...timestamps, updatedAt: this.#now() })
        }
        return expect(answer).toStrictEqual(code ?? this.#orderOf(id))
      }
      case "find order": {
        const id = this.#orderId(operation.order)
        const found = await this.#answer(this.#orders.find(id))
        return expect(found).toStrictEqual(Option.fromNullable(this.#orderOf(id)))
      }
      case "list orders":
        return this.#listOrders(operation.status, operation.limit)
      case "wait":
        this.#nowMillis += operation.millis
        return
      case "create together": {
        const answers = await this.#together(operation.count, this.#pets.insert(operation.pet))
        for (const answer of answers) this.#created(operation.pet, answer)
        return
      }
      case "create once together":
        return this.#createOnceTogether({ ...operation, account: "acc_one" })
      case "order together": {
        const id = this.#petId(operation.pet)
        const answers = await this.#together(operation.count, this.#orders.insert({ petId: id }, this.#now()))
        // The model's first order succeeds, so the store's successful order is compared first.
        const winnersFirst = answers.toSorted((one, other) => Number(isRefusal(one)) - Number(isRefusal(other)))
        for (const answer of winnersFirst) this.#ordered(id, answer)
      }
    }
  }

  /** Compares the entire content. */
  async compareAll(): Promise<void> {
    for (const status of [undefined, "available", "pending", "sold"] as const) await this.#listPets(status, 7)
    for (const status of [undefined, "placed", "completed", "cancelled"] as const) await this.#listOrders(status, 7)
  }

  /** Adds a pet that the store created. Its identifier must be new. */
  #created({ name, categoryId, status }: ValidNewPet, answer: Pet | string): void {
    if (typeof answer === "string") expect.fail(`a creation was refused: ${answer}`)
    this.#model.create(answer.id, status === undefined ? { name, categoryId } : { name, categoryId, status })
    expect(answer).toStrictEqual(this.#model.petOf(answer.id))
  }

  #ordered(pet: PetId, answer: Order | string): void {
    const id = typeof answer === "string" ? unknownId(0) : answer.id
    const code = this.#model.order(pet, id)
    if (code === undefined) this.#timestamps.set(id, { createdAt: this.#now(), updatedAt: this.#now() })
    expect(answer).toStrictEqual(code ?? this.#orderOf(id))
  }

  async #import(pets: ReadonlyArray<ValidNewPet>, fails: boolean): Promise<void> {
    const batches = Stream.concat(Stream.make(pets), fails ? Stream.fail(new ImportBroke()) : Stream.empty)
    const answer = await this.#answer(this.#pets.insertAll(batches))
    if (fails) return expect(answer).toBe("import_broke")
    expect(answer).toBe(pets.length)
    // An import returns no identifiers. The new pets are the ones with unknown identifiers, in stream order.
    const all = await this.#mustAnswer(this.#pets.list({ status: Option.none(), after: Option.none(), limit: 10_000 }))
    const added = all.filter(({ id }) => !this.#model.cells.has(id))
    expect(added).toHaveLength(pets.length)
    for (const [index, pet] of pets.entries()) this.#created(pet, added[index] ?? "nothing")
  }

  async #createOnceTogether(operation: {
    readonly pet: ValidNewPet
    readonly key: string
    readonly account: string
    readonly count: number
  }): Promise<void> {
    const { ofStore, ofModel } = this.#claim("POST /v1/pets", operation, fingerprintOf(operation.pet))
    const insert = Effect.map(this.#pets.insertOnce(operation.pet, ofStore), ({ value }) => value)
    for (const answer of await this.#together(operation.count, insert)) {
      const kept = this.#model.claimed(ofModel)
      if (kept !== undefined) expect(answer).toStrictEqual(kept)
      else {
        this.#created(operation.pet, answer)
        this.#model.claim(ofModel, answer)
      }
    }
  }

  async #orderOnce(operation: Extract<Operation, { kind: "order once" }>): Promise<void> {
    const { ofStore, ofModel } = this.#claim("POST /v1/store/orders", operation, String(operation.pet))
    const pet = this.#petId(operation.pet)
    const answer = await this.#answer(Effect.map(this.#orders.insertOnce({ petId: pet }, ofStore), ({ value }) => value))
    const kept = this.#model.claimed(ofModel)
    if (kept !== undefined) return expect(answer).toStrictEqual(kept)
    this.#ordered(pet, answer)
    // The store does not remember refusals.
    if (typeof answer !== "string") this.#model.claim(ofModel, answer)
  }

  async #listPets(status: PetStatus | undefined, limit: number): Promise<void> {
    const expected = this.#model.pets.filter((pet) => (status ?? pet.status) === pet.status)
    const pages = await this.#walk(expected.length, limit, (after: Option.Option<PetId>) =>
      this.#answer(this.#pets.list({ status: Option.fromNullable(status), limit, after })),
    )
    expect(pages).toStrictEqual(expected)
  }

  async #listOrders(status: OrderStatus | undefined, limit: number): Promise<void> {
    const expected = this.#model.orders.filter((order) => (status ?? order.status) === order.status)
    const pages = await this.#walk(expected.length, limit, (after: Option.Option<OrderId>) =>
      this.#answer(this.#orders.list({ status: Option.fromNullable(status), limit, after })),
    )
    expect(pages).toStrictEqual(expected.map(({ id }) => this.#orderOf(id)))
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

  #orderOf(id: bigint) {
    const order = this.#model.orderOf(id)
    return order && { ...order, ...this.#timestamps.get(id) }
  }

  #petId(place: number): PetId {
    return PetId.make([...this.#model.cells.keys()][place] ?? unknownId(place))
  }

  #orderId(place: number): OrderId {
    return OrderId.make(this.#model.orders[place]?.id ?? unknownId(place))
  }

  #now(): Date {
    return new Date(this.#nowMillis)
  }

  #claim(operation: string, { key: name, account: of }: { readonly key: string; readonly account: string }, fingerprint: string) {
    const atMillis = this.#nowMillis
    const expiresAtMillis = atMillis + dayMillis
    const ofStore: IdempotencyClaim = {
      accountId: of,
      operation,
      key: name,
      fingerprint,
      claimedAt: new Date(atMillis),
      expiresAt: new Date(expiresAtMillis),
    }
    return { ofStore, ofModel: { name: `${of} ${operation} ${name}`, fingerprint, atMillis, expiresAtMillis } }
  }

  /** An operation's result, or its failure's code. */
  #answer<A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Promise<A | string> {
    return Effect.runPromise(
      Effect.map(
        Effect.either(effect),
        Either.getOrElse(({ _tag }) => _tag.replaceAll(/(?<=.)[A-Z]/g, "_$&").toLowerCase()),
      ),
    )
  }

  async #mustAnswer<A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Promise<A> {
    return Effect.runPromise(effect)
  }

  #together<A, E extends { readonly _tag: string }>(
    times: number,
    effect: Effect.Effect<A, E>,
  ): Promise<ReadonlyArray<A | string>> {
    return Promise.all(Array.from({ length: times }, () => this.#answer(effect)))
  }
}

/** An identifier that such a small store never assigns. */
const unknownId = (place: number): bigint => 2n ** 62n + BigInt(place)

const isRefusal = (answer: unknown): boolean => typeof answer === "string"

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
      { seed: 8, numRuns: 15 },
    ))
})
