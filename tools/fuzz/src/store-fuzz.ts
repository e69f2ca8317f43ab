/** Compares the service with a model of its store after each change. The model checks requests in the specified order (10.12). */
import assert from "node:assert/strict"
import { inspect, isDeepStrictEqual } from "node:util"
import { createdPet, isFoundBy, newPetJson, wordsOf } from "@petstore/conformance/catalogue"
import { changesOf, type Change as RecordedChange, type Touched } from "@petstore/conformance/store-changes"
import { orderIn, ordersOf } from "@petstore/conformance/store-orders"
import { wrongNotes } from "@petstore/conformance/wrong-values"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { members } from "@petstore/harness/exact-json"
import { type Code, expectError, type Pet, pageOf, tagOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { Model } from "@petstore/model/model"
import { type Closing, changing, restoring, statusAfter } from "@petstore/model/rules"
import fc from "fast-check"
import { checkResponse } from "./contract.ts"
import { goodName, newPet, note, patch, weighted } from "./pets.ts"

interface StoreFuzzSettings {
  readonly baseUrl: string
  readonly key: string
  /** A read-only key for the same account. */
  readonly readOnlyKey: string
  readonly sequences: number
  readonly seed: number
}

const tagsOfList = ["present", "weak", "marked", "former", "other"] as const

/** Draws the usual value `weight` times as often as the rare one. */
const rarely = <A, B>(rare: A, usual: B, weight: number): fc.Arbitrary<A | B> =>
  weighted([weight, fc.constant(usual)], [1, fc.constant(rare)])

const condition = weighted(
  [1, fc.constant(undefined)],
  [
    1,
    fc.record({
      header: fc.constantFrom("If-Match", "If-None-Match"),
      list: fc.array(fc.constantFrom(...tagsOfList), { minLength: 1, maxLength: 3 }),
      isStar: rarely(true, false, 5),
      malformed: weighted([9, fc.constant(undefined)], [1, fc.constantFrom("", ",", "x", '"a', "W/*", '*, "a"')]),
      isOneLine: fc.boolean(),
    }),
  ],
)

/** Whether the request uses the read-only key. */
const isReader = rarely(true, false, 12)

type Condition = NonNullable<typeof condition extends fc.Arbitrary<infer A> ? A : never>

/** Chooses a row that the sequence created, or one that does not exist. */
const which: fc.Arbitrary<number | "newest"> = fc.nat({ max: 11 })
const missing = 11

/** A change to an order's note as its JSON text, and the note, unless the service refuses the text. */
const orderChange = weighted(
  [6, note.map((text) => ({ text: JSON.stringify({ note: text, status: "placed" }), note: text, isMalformed: false }))],
  [2, fc.constant({ text: '{"note":null}', note: null, isMalformed: false })],
  [1, fc.constant({ text: '{"id":7}', note: undefined, isMalformed: false })],
  [2, fc.constantFrom(...wrongNotes).map((value) => ({ text: `{"note":${value}}`, note: undefined, isMalformed: true }))],
)

const step = weighted(
  [5, fc.record({ operation: fc.constant("createPet" as const), pet: newPet })],
  [8, fc.record({ operation: fc.constant("correctPet" as const), which, patch, condition, isReader })],
  [3, fc.record({ operation: fc.constant("removePet" as const), which, condition, isReader })],
  [2, fc.record({ operation: fc.constant("restorePet" as const), which, isReader })],
  [
    4,
    fc.record({ operation: fc.constant("createOrder" as const), which, note: weighted([2, fc.constant(undefined)], [1, note]) }),
  ],
  [4, fc.record({ operation: fc.constantFrom("completeOrder" as const, "cancelOrder" as const), which })],
  [3, fc.record({ operation: fc.constant("returnOrder" as const), which, isReader })],
  [3, fc.record({ operation: fc.constant("changeOrder" as const), which, patch: orderChange, condition, isReader })],
  [3, fc.record({ operation: fc.constant("replaceCategory" as const), which, name: goodName, condition, isReader })],
  [2, fc.record({ operation: fc.constant("removeCategory" as const), which, condition, isReader })],
  [
    4,
    fc.record({
      operation: fc.constant("listChanges" as const),
      limit: fc.integer({ min: 1, max: 30 }),
      ofPet: fc.option(which, { nil: undefined }),
      order: fc.constantFrom("", "&order=asc", "&order=desc"),
      waits: fc.boolean(),
      hasOtherCursor: rarely(true, false, 6),
    }),
  ],
)

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never
type StepOf<Operation extends Step["operation"]> = Extract<Step, { operation: Operation }>

/** A change as the feed shows it, without who made it, when, and the times of the order. */
interface Happened {
  readonly operation: string
  readonly before: object
  readonly after: object
}

const happenedIn = ({ operation, before, after }: RecordedChange): Happened => {
  const side = ({ order, ...others }: Touched = {}): object => {
    if (order === undefined) return others
    const { createdAt: _, updatedAt: __, ...shown } = order
    return { ...others, order: shown }
  }
  return { operation, before: side(before), after: side(after) }
}

const textOf = (change: Happened): string => inspect(change, { depth: null, sorted: true })

/** Sells a new pet, because other pets can rarely be ordered, and sometimes sells it again after a correction. */
const sale: fc.Arbitrary<ReadonlyArray<Step>> = fc.tuple(newPet, fc.boolean()).map(([pet, isAgain]) => {
  const [which, note] = ["newest", undefined] as const
  const sold = [
    { operation: "createOrder", which, note },
    { operation: "completeOrder", which },
  ] as const
  const patch = { text: '{"status":"available"}', patch: { status: "available" } }
  const corrected = { operation: "correctPet", which, patch, condition: undefined, isReader: false } as const
  return [{ operation: "createPet", pet: { ...pet, status: "available" } }, ...sold, ...(isAgain ? [corrected, ...sold] : [])]
})

const steps = weighted([8, step.map((one): ReadonlyArray<Step> => [one])], [1, sale])

interface Category {
  readonly id: bigint
  readonly name: string
}

/** A pet, order or category that requests name. */
interface Thing {
  readonly id: bigint
  readonly path: string
  /** The tags of all values that the thing has had. */
  readonly tags: Set<string>
}

const unused = 8_999_999_999_999_999_999n
const missingPet: Thing = { id: unused, path: `/pets/${unused}`, tags: new Set() }
const missingOrder: Thing = { id: unused, path: `/store/orders/${unused}`, tags: new Set() }
const missingCategory: Thing = { id: unused, path: "/categories/abc", tags: new Set() }

interface Change {
  readonly method: string
  readonly body?: string
  readonly isMalformed?: boolean
  /** The current values, if the thing exists. A response may have more members. */
  readonly values: () => object | undefined
  /** Changes the model, if the condition holds. Returns the code if the model refuses the change. */
  readonly make: (holds: boolean) => string | undefined
}

/** One sequence: its model, and the connections for its requests. */
const newSequence = (client: Client, reader: Client, firstCategory: bigint) => {
  const model = new Model()
  const names = new Map<bigint, string>()
  const pets: Array<Thing> = []
  const orders: Array<Thing> = []
  const categories = [0n, 1n, 2n].map((place): Thing => {
    const id = firstCategory + place
    return { id, path: `/categories/${id}`, tags: new Set<string>() }
  })
  const sent: Array<string> = []
  const happened: Array<Happened & { readonly petId: bigint | undefined }> = []
  /** Where the sequence begins in the feed. */
  let beginning = ""

  const petAt = (place: number | "newest"): Thing => oneOf(pets, place) ?? missingPet
  const categoryAt = (place: number | "newest"): Thing => oneOf(categories, place) ?? missingCategory

  const categoryOf = (id: bigint): Category | undefined => {
    const name = names.get(id)
    return name === undefined ? undefined : { id, name }
  }

  const play = async (steps: ReadonlyArray<Step>): Promise<void> => {
    const newest = await send({ path: "/changes?order=desc&limit=1" })
    beginning = new URL(newest.link("monitor") ?? "", "http://service").searchParams.get("cursor") ?? ""
    for (const one of steps) {
      const before = look()
      await act(one)
      noteChange(one.operation, before, look())
      await compare()
    }
    await compareCategories()
  }

  /** Everything that the model has, by its name. */
  const look = () => ({
    pets: new Map(model.pets.map((pet) => [pet.id, pet])),
    orders: new Map(model.orders.map((order) => [order.id, order])),
    categories: new Map([...names].map(([id, name]) => [id, { id, name }])),
  })

  /** Notes the change that a step leaves, if the model has changed. */
  const noteChange = (operation: string, before: ReturnType<typeof look>, after: ReturnType<typeof look>): void => {
    const orderId = changedKey(before.orders, after.orders)
    const order = orderId === undefined ? undefined : after.orders.get(orderId)
    const petId = order?.petId ?? changedKey(before.pets, after.pets)
    const categoryId = changedKey(before.categories, after.categories)
    if (petId === undefined && categoryId === undefined) return
    const side = ({ pets, orders, categories }: ReturnType<typeof look>): object => {
      // A note does not touch the pet.
      const pet = petId === undefined || operation === "changeOrder" ? undefined : pets.get(petId)
      const order = orders.get(orderId ?? 0n)
      const category = categories.get(categoryId ?? 0n)
      return { ...(pet && { pet }), ...(order && { order }), ...(category && { category }) }
    }
    happened.push({ operation, petId, before: side(before), after: side(after) })
  }

  /** Reads the feed page by page, which must show exactly what happened in this sequence. */
  const readFeed = async ({ limit, ofPet, order, waits, hasOtherCursor }: StepOf<"listChanges">): Promise<void> => {
    const petId = ofPet === undefined ? undefined : petAt(ofPet).id
    const isNewest = order === "&order=desc"
    const isOfSequence = petId === undefined && !isNewest
    const query = `limit=${limit}${order}${petId === undefined ? "" : `&petId=${petId}`}${waits ? "&wait=0" : ""}`
    const cursor = isOfSequence || hasOtherCursor ? `&cursor=${beginning}` : ""
    let response = await send({ path: `/changes?${query}${cursor}` })
    const isRefused = (isNewest && waits) || (hasOtherCursor && !isOfSequence)
    if (isRefused) return void expectError(response, "invalid_parameter")
    const inOrder = happened.filter((one) => petId === undefined || one.petId === petId).map(({ petId: _, ...one }) => one)
    const expected = isNewest ? inOrder.toReversed() : inOrder
    const shown: Array<Happened> = []
    for (;;) {
      const page = changesOf(response).map(happenedIn)
      assert.ok(page.length <= limit, `expected at most ${limit} changes, got ${page.length}`)
      shown.push(...page)
      const next = response.link("next")
      if (!isNewest) assert.ok(next?.includes("cursor="), "an ascending page has no next link")
      if (next === undefined || page.length === 0 || (isNewest && shown.length >= expected.length)) break
      response = await send({ target: next })
    }
    if (petId !== undefined) assert.deepEqual(shown, expected)
    // Only the changes of one pet have an order on every store (16.21).
    else if (!isNewest) assert.deepEqual(shown.map(textOf).toSorted(), expected.map(textOf).toSorted())
  }

  const send = async (request: Request, sender = client): Promise<WireResponse> => {
    const { method = "GET", path, target, body: content, headers = [] } = request
    sent.push(`${sender === reader ? "(reader) " : ""}${method} ${path ?? target} ${headers.join("; ")} ${String(content ?? "")}`)
    const response = await sender.send(request)
    sent.push(`  ${response.status} ${response.text}`)
    checkResponse(response, method)
    return response
  }

  const act = (one: Step): Promise<void> => {
    switch (one.operation) {
      case "createPet":
        return create(one)
      case "correctPet":
        return correct(one)
      case "removePet":
        return changePet(one, petAt(one.which), { method: "DELETE" }, "remove")
      case "createOrder":
        return order(one)
      case "restorePet":
        return restore(one)
      case "completeOrder":
        return close(one.which, "complete")
      case "cancelOrder":
        return close(one.which, "cancel")
      case "returnOrder":
        return close(one.which, "return", one.isReader)
      case "changeOrder":
        return noteOrder(one)
      case "listChanges":
        return readFeed(one)
      case "replaceCategory":
        return changeCategory(one, { method: "PUT", body: JSON.stringify({ name: one.name, id: 7 }) }, one.name)
      default:
        return changeCategory(one, { method: "DELETE" }, undefined)
    }
  }

  const create = async ({ pet }: StepOf<"createPet">): Promise<void> => {
    const response = await send({ method: "POST", path: "/pets", body: newPetJson(pet) })
    const { id, ...values } = createdPet(response, pet)
    model.create(id, values)
    pets.push({ id, path: `/pets/${id}`, tags: new Set([tagOf(response)]) })
  }

  const correct = (one: StepOf<"correctPet">): Promise<void> => {
    const { text, patch: asked } = one.patch
    const request = { method: "PATCH", body: text, isMalformed: asked === undefined }
    return changePet(one, petAt(one.which), request, asked ?? {})
  }

  const changePet = (
    one: StepOf<"removePet"> | StepOf<"correctPet">,
    pet: Thing,
    request: Pick<Change, "method" | "body" | "isMalformed">,
    change: Parameters<typeof changing>[0],
  ): Promise<void> =>
    changeThing(one, pet, {
      ...request,
      values: () => model.petOf(pet.id),
      make: (holds) =>
        model.do(
          pet.id,
          changing(change, () => holds),
        ),
    })

  const changeCategory = (
    one: StepOf<"replaceCategory"> | StepOf<"removeCategory">,
    request: Pick<Change, "method" | "body">,
    name: string | undefined,
  ): Promise<void> => {
    const category = categoryAt(one.which)
    const { id } = category
    const make = (holds: boolean): string | undefined => {
      if (category === missingCategory || (name === undefined && !names.has(id))) return "category_not_found"
      if (!holds) return "precondition_failed"
      if (name === undefined) names.delete(id)
      else names.set(id, name)
      return undefined
    }
    return changeThing(one, category, { ...request, values: () => categoryOf(id), make })
  }

  const noteOrder = (one: StepOf<"changeOrder">): Promise<void> => {
    const order = oneOf(orders, one.which) ?? missingOrder
    const { text, note, isMalformed } = one.patch
    return changeThing(one, order, {
      method: "PATCH",
      body: text,
      isMalformed,
      values: () => model.orderOf(order.id),
      make: (holds) => model.note(order.id, note, holds),
    })
  }

  /** Changes a pet, an order or a category. Expects the first applicable refusal or the model's values. */
  const changeThing = async (
    { condition: given, isReader }: Pick<StepOf<"removePet">, "condition" | "isReader">,
    thing: Thing,
    { isMalformed = false, values, make, ...request }: Change,
  ): Promise<void> => {
    const before = values()
    const { headers, holds } = await conditions(thing, before !== undefined, given)
    const sender = isReader ? reader : client
    const response = await send({ ...request, path: thing.path, headers }, sender)
    if (isReader) return void expectError(response, "insufficient_scope")
    // If two parts of a request are wrong, the message may name either of them.
    if (holds === undefined)
      return void expectError(response, "invalid_parameter", ...(isMalformed ? ["invalid_body" as const] : []))
    if (isMalformed) return void expectError(response, "invalid_body")
    const code = make(holds)
    // Safe: the specification's codes.
    if (code !== undefined) return void expectError(response, code as Code)
    const after = values()
    assert.equal(response.status, after === undefined ? 204 : before === undefined ? 201 : 200, response.text)
    if (after !== undefined) {
      const { createdAt: _, updatedAt: __, ...shown } = members(response.json) ?? {}
      assert.deepEqual(shown, after)
      thing.tags.add(tagOf(response))
    }
  }

  /** Sends an action on a thing without a body. Returns the response unless the model expects a refusal. */
  const actOn = async (path: string, isReader: boolean, make: () => string | undefined): Promise<WireResponse | undefined> => {
    const response = await send({ method: "POST", path }, isReader ? reader : client)
    const code = isReader ? "insufficient_scope" : make()
    if (code === undefined) return response
    // Safe: the specification's codes.
    expectError(response, code as Code)
    return undefined
  }

  const restore = async ({ which: place, isReader }: StepOf<"restorePet">): Promise<void> => {
    const pet = petAt(place)
    const response = await actOn(`${pet.path}/restore`, isReader, () => model.do(pet.id, restoring))
    if (response === undefined) return
    assert.deepEqual(members(response.json), model.petOf(pet.id))
    pet.tags.add(tagOf(response))
  }

  const order = async ({ which: place, note }: StepOf<"createOrder">): Promise<void> => {
    const { id: petId } = petAt(place)
    const noted = note === undefined ? "" : `,"note":${JSON.stringify(note)}`
    const response = await send({ method: "POST", path: "/store/orders", body: `{"petId":${petId}${noted}}` })
    const isPlaced = response.status === 201
    const id = isPlaced ? orderIn(response, 201).id : unused
    const code = model.order(petId, id, note)
    // Safe: the specification's codes.
    if (code !== undefined) return void expectError(response, code as Code)
    assert.ok(isPlaced, response.text)
    orders.push({ id, path: `/store/orders/${id}`, tags: new Set([tagOf(response)]) })
  }

  const close = async (place: number | "newest", closing: Closing, isByReader = false): Promise<void> => {
    const { id, path } = oneOf(orders, place) ?? missingOrder
    const response = await actOn(`${path}/${closing}`, isByReader, () => model.close(id, closing))
    if (response !== undefined) assert.equal(orderIn(response, 200).status, statusAfter[closing])
  }

  /** A condition's header lines, and whether the condition holds (`undefined` if it is malformed). */
  const conditions = async (thing: Thing, exists: boolean, given: Condition | undefined) => {
    if (given === undefined) return { headers: [], holds: true } as const
    const { header, malformed } = given
    if (malformed !== undefined) return { headers: [`${header}: ${malformed}`], holds: undefined }
    const present = exists ? tagOf(await send({ path: thing.path })) : '"none"'
    const former = [...thing.tags].find((tag) => tag !== present) ?? '"former"'
    const marked = present.replace(/"$/, '-gzip"')
    const spelled = { present, weak: `W/${present}`, marked, former, other: '"other"' }
    const tags = given.list.map((name) => spelled[name])
    const lists = given.isStar ? ["*"] : given.isOneLine ? [tags.join(", ")] : tags
    const headers = lists.map((list) => `${header}: ${list}`)
    // A proxy that compresses makes a tag weak, or marks it at its end.
    const isCurrent = given.list.some((name) => name === "present" || name === "weak" || name === "marked")
    const matches = exists && (given.isStar || isCurrent)
    return { headers, holds: header === "If-Match" ? matches : !matches }
  }

  const compareCategories = async (): Promise<void> => {
    for (const { id, path } of categories) {
      const response = await send({ path })
      const values = categoryOf(id)
      if (values === undefined) expectError(response, "category_not_found")
      else assert.deepEqual(members(response.json), values)
    }
  }

  /** Checks that the service lists exactly the model's pets with every filter, and exactly the model's orders. */
  const compare = async (): Promise<void> => {
    if (pets.length === 0) return
    const ids = pets.map(({ id }) => `id=${id}`).join("&")
    const there: ReadonlyArray<Pet> = model.pets
    const last = there.at(-1)
    const lists = async (query: string, expected: ReadonlyArray<Pet>): Promise<void> =>
      assert.deepEqual(pageOf(await send({ path: `/pets?${ids}&limit=100${query}` })), expected)
    await lists("", there)
    await lists(
      "&withoutStatus=true",
      there.filter(({ status }) => status === undefined),
    )
    await lists("&order=desc&status=available", there.filter(({ status }) => status === "available").toReversed())
    if (last !== undefined) {
      const { name, categoryId } = last
      await lists(
        `&categoryId=${categoryId}`,
        there.filter((pet) => pet.categoryId === categoryId),
      )
      const words = wordsOf(name)
      const text = [words.at(-1), words[0]]
        .map((word) =>
          Array.from(word ?? "")
            .slice(0, 2)
            .join(""),
        )
        .join(" ")
      if (words.length > 0) {
        await lists(
          `&name=${encodeURIComponent(text)}`,
          there.filter((pet) => isFoundBy(pet.name, text)),
        )
      }
      const listed = ordersOf(await send({ path: `/store/orders?petId=${last.id}` }))
      const shown = listed.map(({ createdAt: _, updatedAt: __, ...order }) => order)
      assert.deepEqual(
        shown,
        model.orders.filter(({ petId }) => petId === last.id),
      )
    }
  }

  /** Cancels orders that hold a pet, and removes category names. */
  const end = async (): Promise<void> => {
    for (const { id, status } of model.orders) {
      if (status === "placed") await client.send({ method: "POST", path: `/store/orders/${id}/cancel` })
    }
    for (const { id, path } of categories) {
      if (names.has(id)) await client.send({ method: "DELETE", path })
    }
  }
  return { play, end, sent }
}

/** The only key whose values differ. */
const changedKey = (one: ReadonlyMap<bigint, object>, other: ReadonlyMap<bigint, object>): bigint | undefined =>
  [...one.keys(), ...other.keys()].find((key) => !isDeepStrictEqual(one.get(key), other.get(key)))

const oneOf = <A>(all: ReadonlyArray<A>, place: number | "newest"): A | undefined => {
  if (place === "newest") return all.at(-1)
  return place === missing ? undefined : all[place % all.length]
}

/** Runs sequences one after another. Returns the smallest failing sequence, with its requests, its responses and the reason. */
export const fuzzStore = async (settings: StoreFuzzSettings): Promise<string | undefined> => {
  const { baseUrl, key, readOnlyKey, sequences, seed } = settings
  using client = new Client(baseUrl, key)
  using reader = new Client(baseUrl, readOnlyKey)
  let firstCategory = process.hrtime.bigint()
  let transcript: ReadonlyArray<string> = []
  const sequence = fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 24, size: "max" }), async (drawn) => {
    firstCategory += 4n
    const played = newSequence(client, reader, firstCategory)
    try {
      await played.play(drawn.flat())
    } catch (cause) {
      transcript = played.sent
      throw cause
    } finally {
      await played.end()
    }
  })
  const { failed, errorInstance } = await fc.check(sequence, { seed, numRuns: sequences, endOnFailure: false })
  if (!failed) return undefined
  return `${messageOf(errorInstance)}\n${transcript.join("\n")}`
}
