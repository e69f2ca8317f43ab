import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CategoryRepository } from "../categories/category-repository.js"
import type { Actor } from "../changes/actor.js"
import { type Change, type ChangePlace, petIdOf } from "../changes/change.js"
import { ChangeRepository, type ChangeSelection } from "../changes/change-repository.js"
import { CredentialRepository } from "../credentials/credential-repository.js"
import { CursorExpired, OrderNotCompleted, OrderNotFound, PetNotFound, SoldPetChanged } from "../errors.js"
import { maxInt64 } from "../json/int64.js"
import { OrderRepository } from "../orders/order-repository.js"
import type { Pet } from "../pets/pet.js"
import { PetRepository } from "../pets/pet-repository.js"
import { newClaim } from "./insert-once-promises.js"
import { timestamp } from "./orders.js"
import { insertEach, newPet, numbered, unassigned } from "./pets.js"
import { atOnce, type ContractSuite, contractSuite, refuses } from "./promise.js"
import { describe, expect } from "./runner.js"
import { unusualInt64s, unusualTexts } from "./unusual-values.js"

type Store = ChangeRepository | PetRepository | OrderRepository | CategoryRepository | CredentialRepository

const everything: ChangeSelection = { order: "asc", after: Option.none(), limit: 10_000 }

const listed = (selection: Partial<ChangeSelection> = {}) =>
  Effect.map(
    Effect.flatMap(ChangeRepository, ({ list }) => list({ ...everything, ...selection })),
    ({ changes }) => changes,
  )

/** What a change says, without the parts that the store makes. */
const told = ({ operation, before, after }: Change) => ({ operation, ...(before && { before }), ...(after && { after }) })

const bello = newPet("Bello", { status: "available" })

/** Declares the contract suite for `ChangeRepository`, with what the other ports promise about changes. @experimental */
export const changeRepositoryContract: ContractSuite<Store> = contractSuite(ChangeRepository, (promise) => {
  describe("the changes of each write", () => {
    const promiseToTell = (what: string, name: string, categoryId: bigint) =>
      promise(`show a pet with ${what} exactly as given`, function* () {
        const pets = yield* PetRepository
        const [pet] = yield* insertEach([{ name, categoryId }])
        yield* pets.replace(pet, { ...pet, status: "sold" })
        yield* pets.remove({ ...pet, status: "sold" })
        expect((yield* listed()).map(told)).toStrictEqual([
          { operation: "createPet", after: { pet } },
          { operation: "correctPet", before: { pet }, after: { pet: { ...pet, status: "sold" } } },
          { operation: "removePet", before: { pet: { ...pet, status: "sold" } } },
        ])
      })
    for (const [what, name] of Object.entries(unusualTexts)) promiseToTell(`a name ${what}`, name, 1n)
    for (const categoryId of unusualInt64s) promiseToTell(`the categoryId ${categoryId}`, "Bello", categoryId)

    promise("show the pet and the order, before and after, of an order's life", function* () {
      const orders = yield* OrderRepository
      const [pet] = yield* insertEach([bello])
      const pending: Pet = { ...pet, status: "pending" }
      const sold: Pet = { ...pet, status: "sold" }
      const first = yield* orders.insert({ petId: pet.id, note: "for Ada" }, timestamp(0))
      const cancelled = yield* orders.close(first.id, "cancel", timestamp(1))
      const { value: second } = yield* orders.insertOnce({ petId: pet.id }, newClaim({ operation: "createOrder" }))
      const completed = yield* orders.close(second.id, "complete", timestamp(2))
      expect(first.note).toBe("for Ada")
      expect((yield* listed()).slice(1).map(told)).toStrictEqual([
        { operation: "createOrder", before: { pet }, after: { pet: pending, order: first } },
        { operation: "cancelOrder", before: { pet: pending, order: first }, after: { pet, order: cancelled } },
        { operation: "createOrder", before: { pet }, after: { pet: pending, order: second } },
        { operation: "completeOrder", before: { pet: pending, order: second }, after: { pet: sold, order: completed } },
      ])
    })

    promise("show a category as it was named, replaced and removed", function* () {
      const categories = yield* CategoryRepository
      const dogs = { id: maxInt64, name: "Dogs" }
      const hounds = { ...dogs, name: "Hounds" }
      yield* categories.replace(dogs, Option.none())
      yield* categories.replace(hounds, Option.some(dogs))
      yield* categories.remove(hounds)
      expect((yield* listed()).map(told)).toStrictEqual([
        { operation: "replaceCategory", after: { category: dogs } },
        { operation: "replaceCategory", before: { category: dogs }, after: { category: hounds } },
        { operation: "removeCategory", before: { category: hounds } },
      ])
    })

    promise("are one for each pet of insertAll and of correctAll, in their order", function* () {
      const pets = yield* PetRepository
      const given = numbered(150)
      yield* pets.insertAll(Stream.make(given.slice(0, 70), given.slice(70)), { command: "import" })
      const kept = yield* pets.list({ status: Option.none(), after: Option.none(), limit: 1_000 })
      const made = (yield* listed()).map(told)
      expect(made.map(({ after }) => after?.pet?.name).toSorted()).toStrictEqual(kept.map(({ name }) => name).toSorted())
      const some = kept.slice(0, 3)
      yield* pets.correctAll(
        some.map(({ id }) => [id, { name: "Rex" }] as const),
        { command: "import" },
      )
      const corrected = (yield* listed()).slice(150)
      expect(corrected.map(told)).toSatisfy((all) => Array.isArray(all) && all.length === 3)
      for (const pet of some) {
        const [, change] = yield* listed({ petId: pet.id })
        expect(change && told(change)).toStrictEqual({
          operation: "correctPet",
          before: { pet },
          after: { pet: { ...pet, name: "Rex" } },
        })
        expect(change?.by).toStrictEqual({ command: "import" })
      }
    })

    promise("do not exist for a write that changed nothing, was refused or was repeated", function* () {
      const [pets, orders, categories] = [yield* PetRepository, yield* OrderRepository, yield* CategoryRepository]
      const dogs = { id: 1n, name: "Dogs" }
      const { value: pet } = yield* pets.insertOnce(bello, newClaim())
      yield* categories.replace(dogs, Option.none())
      const order = yield* orders.insert({ petId: pet.id }, timestamp(0))
      yield* orders.close(order.id, "complete", timestamp(1))
      const before = (yield* listed()).length
      expect(before).toBe(4)
      const sold: Pet = { ...pet, status: "sold" }
      yield* pets.insertOnce(bello, newClaim())
      yield* pets.replace(sold, sold)
      yield* pets.correctAll([[pet.id, {}]])
      yield* Effect.either(pets.replace(pet, { ...pet, name: "Rex" }))
      yield* Effect.either(pets.remove({ ...pet, id: 404n }))
      yield* categories.replace(dogs, Option.some(dogs))
      yield* categories.replace({ ...dogs, name: "Cats" }, Option.none())
      yield* Effect.either(orders.insert({ petId: pet.id }, timestamp(2)))
      yield* orders.close(order.id, "complete", timestamp(3))
      yield* Effect.either(orders.close(order.id, "cancel", timestamp(3)))
      expect(yield* listed()).toHaveLength(before)
    })
  })

  describe("by", () => {
    promise("is the account and the key with their names, the command, or absent", function* () {
      const [pets, credentials] = [yield* PetRepository, yield* CredentialRepository]
      const account = { id: "acc_1", name: "Shop", createdAt: timestamp(0) }
      const key = {
        id: "key_1",
        accountId: account.id,
        deployment: "development",
        createdAt: timestamp(0),
        expiresAt: Option.none(),
        revokedAt: Option.none(),
        lastUsedOn: Option.none(),
        label: Option.some("till"),
        readOnly: false,
      } as const
      yield* credentials.insertAccount(account)
      yield* credentials.insertApiKey(key, "0".repeat(64))
      const caller: Actor = { accountId: account.id, keyId: key.id, requestId: "2c5a8a40-0000-4000-8000-0123456789ab" }
      const by: Array<readonly [Change["by"], string | undefined]> = []
      for (const actor of [caller, { command: "import" }, undefined] as const) {
        const { id: petId } = yield* pets.insert(bello, actor)
        // Changes of two pets have no order within one millisecond.
        for (const change of yield* listed({ petId })) by.push([change.by, change.requestId])
      }
      expect(by).toStrictEqual([
        [{ account: { id: account.id, name: account.name }, key: { id: key.id, label: "till" } }, caller.requestId],
        [{ command: "import" }, undefined],
        [undefined, undefined],
      ])
    })
  })

  describe("list", () => {
    promise("gives each change once, page by page, in both orders, and then those that follow", function* ({ list }) {
      yield* insertEach(numbered(25))
      const all = (yield* listed()).map(({ id }) => id)
      expect(new Set(all).size).toBe(25)
      for (const order of ["desc", "asc"] as const) {
        const seen: Array<string> = []
        let after: Option.Option<ChangePlace> = Option.none()
        for (let count = 0; count < 40 && (after._tag === "Some" || count === 0); count += 1) {
          const { changes, next } = yield* list({ order, after, limit: 4 })
          seen.push(...changes.map(({ id }) => id))
          after = Option.fromNullable(next)
          if (order === "asc" && changes.length === 0) break
        }
        expect(seen.toSorted()).toStrictEqual(all.toSorted())
        if (order === "asc") {
          expect(after._tag).toBe("Some")
          const [pet] = yield* insertEach([bello])
          const { changes } = yield* list({ order, after, limit: 4 })
          expect(changes.map(told)).toStrictEqual([{ operation: "createPet", after: { pet } }])
        }
      }
    })

    promise("gives a place in an empty store, behind which every later change is", function* ({ list }) {
      const { changes, next } = yield* list(everything)
      expect(changes).toStrictEqual([])
      yield* insertEach(numbered(3))
      const found = yield* list({ ...everything, after: Option.fromNullable(next) })
      expect(found.changes).toHaveLength(3)
      expect((yield* list({ ...everything, order: "desc" })).next).toBe(undefined)
    })

    promise("gives the place behind the newest change with the first page from the newest", function* ({ list }) {
      for (const petId of [undefined, 404n]) {
        const { end: atFirst } = yield* list({ ...everything, petId, order: "desc" })
        yield* insertEach(numbered(3))
        const newest = yield* list({ ...everything, petId, order: "desc", limit: 1 })
        expect(yield* listed({ petId, after: Option.fromNullable(newest.end) })).toStrictEqual([])
        expect(yield* listed({ after: Option.fromNullable(atFirst) })).toHaveLength(3)
        const older = yield* list({ ...everything, order: "desc", after: Option.fromNullable(newest.next ?? newest.end) })
        expect([older.end, (yield* list(everything)).end]).toStrictEqual([undefined, undefined])
      }
    })

    promise("gives the history of one pet and its orders, also after its removal", function* ({ list }) {
      const [pets, orders] = [yield* PetRepository, yield* OrderRepository]
      const [pet] = yield* insertEach([bello, newPet("Ada"), newPet("Coco")])
      const order = yield* orders.insert({ petId: pet.id }, timestamp(0))
      yield* orders.close(order.id, "cancel", timestamp(1))
      yield* insertEach(numbered(3))
      yield* pets.remove(pet)
      const expected = ["createPet", "createOrder", "cancelOrder", "removePet"]
      expect((yield* listed({ petId: pet.id })).map(({ operation }) => operation)).toStrictEqual(expected)
      const newest = yield* list({ ...everything, petId: pet.id, order: "desc", limit: 3 })
      expect(newest.changes.map(({ operation }) => operation)).toStrictEqual(expected.toReversed().slice(0, 3))
      const rest = yield* list({ ...everything, petId: pet.id, order: "desc", limit: 3, after: Option.fromNullable(newest.next) })
      expect(rest.changes.map(({ operation }) => operation)).toStrictEqual(["createPet"])
      const done = yield* list({ ...everything, petId: pet.id })
      yield* insertEach(numbered(3))
      const later = yield* list({ ...everything, petId: pet.id, after: Option.fromNullable(done.next) })
      expect(later.changes).toStrictEqual([])
      expect(yield* listed({ petId: 404n })).toStrictEqual([])
    })

    promise(
      "keeps the changes of one pet in order, and loses none, if twenty of a hundred writes run at once",
      function* ({ list }) {
        const pets = yield* PetRepository
        const made = yield* atOnce(numbered(20), (pet) => pets.insert(pet))
        let after = Option.fromNullable((yield* list(everything)).next)
        const seen: Array<Change> = []
        const writes = Effect.forEach(
          Array(100).keys(),
          (index) =>
            Effect.flatMap(Effect.succeed(made[index % 20]?.id ?? 0n), (id) =>
              pets.correctAll([[id, { name: `Name ${index}` }]]),
            ),
          { concurrency: 20 },
        )
        yield* Effect.all(
          [
            writes,
            Effect.forEach(Array(30).keys(), () =>
              Effect.map(list({ ...everything, after, limit: 7 }), ({ changes, next }) => {
                seen.push(...changes)
                after = Option.fromNullable(next)
              }),
            ),
          ],
          { concurrency: "unbounded" },
        )
        for (;;) {
          const { changes, next } = yield* list({ ...everything, after })
          seen.push(...changes)
          after = Option.fromNullable(next)
          if (changes.length === 0) break
        }
        expect(new Set(seen.map(({ id }) => id)).size).toBe(100)
        expect(seen).toHaveLength(100)
        for (const pet of made) {
          let former = pet
          for (const { before, after: to } of seen.filter((change) => petIdOf(change.after ?? {}) === pet.id)) {
            expect(before?.pet).toStrictEqual(former)
            former = to?.pet ?? former
          }
          expect(Option.getOrThrow(yield* pets.find(pet.id))).toStrictEqual(former)
        }
      },
    )

    promise(
      "refuses a place of another store, and a place whose following changes were removed",
      function* ({ list, removeBefore }) {
        yield* insertEach(numbered(5))
        const { next: early } = yield* list({ ...everything, limit: 2 })
        const { next: late } = yield* list({ ...everything, limit: 4 })
        yield* refuses(list({ ...everything, after: Option.some("0-0-0-0-0-0-0-0-0") }), new CursorExpired())
        expect(yield* removeBefore(new Date(Date.now() - 60_000), 10)).toBe(0)
        expect(yield* removeBefore(new Date(Date.now() + 60_000), 3)).toBe(3)
        yield* refuses(list({ ...everything, after: Option.fromNullable(early) }), new CursorExpired())
        expect(yield* listed({ after: Option.fromNullable(late) })).toHaveLength(1)
        expect(yield* listed()).toHaveLength(2)
      },
    )
  })

  promise("latest differs after each change, and only then", function* ({ latest }) {
    const [pets, categories] = [yield* PetRepository, yield* CategoryRepository]
    const seen = [yield* latest]
    const [pet] = yield* insertEach([bello])
    seen.push(yield* latest)
    yield* pets.replace(pet, { ...pet, name: "Rex" })
    seen.push(yield* latest)
    yield* categories.replace({ id: 1n, name: "Dogs" }, Option.none())
    seen.push(yield* latest)
    expect(new Set(seen).size).toBe(4)
    expect(yield* latest).toBe(seen.at(-1))
  })

  describe("restorePet", () => {
    promise("brings a removed pet back as it was last, under its own identifier", function* ({ restorePet }) {
      const pets = yield* PetRepository
      const [pet, other] = yield* insertEach([bello, newPet("Ada")])
      const last: Pet = { ...pet, name: "Rex", status: "sold" }
      yield* pets.replace(pet, last)
      yield* pets.remove(last)
      expect(yield* restorePet(pet.id, { command: "history" })).toStrictEqual(last)
      expect(yield* pets.find(pet.id)).toStrictEqual(Option.some(last))
      expect((yield* pets.search({ words: ["rex"], order: "asc", limit: 10 })).pets).toStrictEqual([last])
      const [change] = yield* listed({ order: "desc", limit: 1 })
      expect(change && told(change)).toStrictEqual({ operation: "restorePet", after: { pet: last } })
      expect(yield* pets.find(other.id)).toStrictEqual(Option.some(other))
      const [next] = yield* insertEach([bello])
      expect([pet.id, other.id].includes(next.id)).toBe(false)
    })

    promise("leaves a pet that exists as it is, and leaves no change", function* ({ restorePet }) {
      const [pet] = yield* insertEach([bello])
      expect(yield* restorePet(pet.id)).toStrictEqual(pet)
      expect(yield* listed()).toHaveLength(1)
    })

    promise("fails for a pet that never was, and for one whose removal is not kept", function* ({ restorePet, removeBefore }) {
      const pets = yield* PetRepository
      for (const petId of unassigned) yield* refuses(restorePet(petId), new PetNotFound({ petId }))
      const [pet] = yield* insertEach([bello])
      yield* pets.remove(pet)
      yield* insertEach([newPet("Ada")])
      yield* removeBefore(new Date(Date.now() + 60_000), 3)
      yield* refuses(restorePet(pet.id), new PetNotFound({ petId: pet.id }))
    })
  })

  describe("giveBack and setNote", () => {
    const sale = Effect.gen(function* () {
      const orders = yield* OrderRepository
      const [pet] = yield* insertEach([bello])
      const { id } = yield* orders.insert({ petId: pet.id }, timestamp(0))
      return { pet, order: yield* orders.close(id, "complete", timestamp(1)) }
    })

    promise("return a completed order once, and make its pet available", function* () {
      const [pets, orders] = [yield* PetRepository, yield* OrderRepository]
      const { pet, order } = yield* sale
      const returned = { ...order, status: "returned" as const, updatedAt: timestamp(2) }
      expect(yield* orders.giveBack(order.id, timestamp(2))).toStrictEqual(returned)
      expect(yield* orders.giveBack(order.id, timestamp(3))).toStrictEqual(returned)
      expect(yield* pets.find(pet.id)).toStrictEqual(Option.some(pet))
      expect(yield* orders.list({ status: Option.some("returned"), after: Option.none(), limit: 9 })).toStrictEqual([returned])
      const [change, former] = yield* listed({ order: "desc", limit: 2 })
      expect(former?.operation).toBe("completeOrder")
      expect(change && told(change)).toStrictEqual({
        operation: "returnOrder",
        before: { pet: { ...pet, status: "sold" }, order },
        after: { pet, order: returned },
      })
    })

    promise("refuse to return an order that is not completed, and an unknown one", function* () {
      const orders = yield* OrderRepository
      const [pet] = yield* insertEach([bello])
      const { id } = yield* orders.insert({ petId: pet.id }, timestamp(0))
      const giveBack = (orderId: bigint) => orders.giveBack(orderId, timestamp(2))
      yield* refuses(giveBack(id), new OrderNotCompleted({ orderId: id, status: "placed" }))
      yield* orders.close(id, "cancel", timestamp(1))
      yield* refuses(giveBack(id), new OrderNotCompleted({ orderId: id, status: "cancelled" }))
      yield* refuses(giveBack(id + 1000n), new OrderNotFound({ orderId: id + 1000n }))
    })

    promise("refuse to return an order whose pet is not as it was sold", function* () {
      const [pets, orders] = [yield* PetRepository, yield* OrderRepository]
      const { pet, order } = yield* sale
      const refused = new SoldPetChanged({ orderId: order.id, petId: pet.id })
      const giveBack = orders.giveBack(order.id, timestamp(9))
      yield* pets.replace({ ...pet, status: "sold" }, pet)
      yield* refuses(giveBack, refused)
      const again = yield* orders.insert({ petId: pet.id }, timestamp(3))
      yield* orders.close(again.id, "complete", timestamp(4))
      yield* refuses(giveBack, refused)
      yield* orders.giveBack(again.id, timestamp(5))
      yield* pets.remove(pet)
      yield* refuses(giveBack, refused)
    })

    promise("set and remove a note if the order is as it was read, and leave its other members", function* () {
      const orders = yield* OrderRepository
      const { pet, order } = yield* sale
      const setNote = (seen: typeof order, note: string | undefined) => orders.setNote(seen, note)
      for (const note of ["", "x".repeat(256), ...Object.values(unusualTexts).map((text) => text.slice(0, 100))]) {
        if (!note.isWellFormed()) continue
        const seen = Option.getOrThrow(yield* orders.find(order.id))
        expect(yield* setNote(seen, note)).toBe(true)
        expect(yield* orders.find(order.id)).toStrictEqual(Option.some({ ...order, note }))
      }
      expect(yield* setNote(order, "other")).toBe(false)
      const noted = Option.getOrThrow(yield* orders.find(order.id))
      expect(yield* setNote(noted, undefined)).toBe(true)
      expect(yield* orders.find(order.id)).toStrictEqual(Option.some(order))
      const [change] = yield* listed({ petId: pet.id, order: "desc", limit: 1 })
      expect(change && told(change)).toStrictEqual({ operation: "changeOrder", before: { order: noted }, after: { order } })
    })
  })
})
