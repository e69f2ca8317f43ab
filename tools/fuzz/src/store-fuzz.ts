/** Compares the service with a model of its store after each change. The model checks requests in the specified order (10.12). */
import assert from "node:assert/strict"
import { inspect, isDeepStrictEqual } from "node:util"
import { createdPet, isFoundBy, newPetJson, wordsOf } from "@petstore/conformance/catalogue"
import { changesOf, petOfChange, type Change as RecordedChange, type Touched } from "@petstore/conformance/store-changes"
import { orderIn, ordersOf } from "@petstore/conformance/store-orders"
import { wrongNotes } from "@petstore/conformance/wrong-values"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { members } from "@petstore/harness/exact-json"
import { type Code, expectError, type Pet, pageOf, tagOf } from "@petstore/harness/expectations"
import { pagesFrom, type Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { Model } from "@petstore/model/model"
import { type Closing, changing, closing, noting, restoring } from "@petstore/model/rules"
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

const how = fc.constantFrom<Closing>("complete", "cancel", "return")

const step = weighted(
  [5, fc.record({ operation: fc.constant("createPet" as const), pet: newPet })],
  [8, fc.record({ operation: fc.constant("correctPet" as const), which, patch, condition, isReader })],
  [3, fc.record({ operation: fc.constant("removePet" as const), which, condition, isReader })],
  [2, fc.record({ operation: fc.constant("restorePet" as const), which, isReader })],
  [
    4,
    fc.record({ operation: fc.constant("createOrder" as const), which, note: weighted([2, fc.constant(undefined)], [1, note]) }),
  ],
  [7, fc.record({ operation: fc.constant("closeOrder" as const), which, how, isReader })],
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

/** A step that changes or removes something. */
interface ChangeStep {
  readonly which: number | "newest"
  readonly condition?: Condition | undefined
  readonly isReader: boolean
}

/** A change as the feed shows it, without who made it, when, and the times of the order. */
type Happened = Pick<RecordedChange, "operation" | "before" | "after">

const happenedIn = ({ operation, before, after }: RecordedChange): object => {
  const side = ({ order, ...others }: Touched = {}): object => ({ ...others, ...(order && { order: untimed(order) }) })
  return { operation, before: side(before), after: side(after) }
}

/** A row without the times of an order. */
const untimed = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== "createdAt" && name !== "updatedAt"))

/** What the model has, by kind and identifier. */
type Rows = ReadonlyMap<string, object>

const textOf = (change: object): string => inspect(change, { depth: null, sorted: true })

/** Sells a new pet, because other pets can rarely be ordered, and sometimes sells it again after a correction. */
const sale: fc.Arbitrary<ReadonlyArray<Step>> = fc.tuple(newPet, fc.boolean()).map(([pet, isAgain]) => {
  const [which, note] = ["newest", undefined] as const
  const sold = [
    { operation: "createOrder", which, note },
    { operation: "closeOrder", how: "complete", which, isReader: false },
  ] as const
  const patch = { text: '{"status":"available"}', patch: { status: "available" } }
  const corrected = { operation: "correctPet", which, patch, condition: undefined, isReader: false } as const
  return [{ operation: "createPet", pet: { ...pet, status: "available" } }, ...sold, ...(isAgain ? [corrected, ...sold] : [])]
})

const steps = weighted([8, step.map((one): ReadonlyArray<Step> => [one])], [1, sale])

/** A pet, order or category that requests name. */
interface Thing {
  readonly id: bigint
  readonly path: string
  /** The tags of all values that the thing has had. */
  readonly tags: Set<string>
  /** The current values, if the thing exists. A response may have more members. */
  readonly values: () => object | undefined
}

const unused = 8_999_999_999_999_999_999n

/** A request that changes a thing, and what it does to the model while its condition holds: nothing, if there is a code. */
interface Change extends Pick<Request, "method" | "body"> {
  /** The end of the path, after that of the thing. */
  readonly action?: string
  readonly isMalformed?: boolean
  readonly make: (id: bigint, holds: () => boolean) => string | undefined
}

/** One sequence: its model, and the connections for its requests. */
const newSequence = (client: Client, reader: Client, firstCategory: bigint) => {
  const model = new Model()
  const names = new Map<bigint, string>()
  const pets: Array<Thing> = []
  const orders: Array<Thing> = []
  const thing = (path: string, id: bigint, values: Thing["values"], ...tags: ReadonlyArray<string>): Thing => ({
    path,
    id,
    values,
    tags: new Set(tags),
  })
  const petThing = (id: bigint, ...tags: ReadonlyArray<string>) => thing(`/pets/${id}`, id, () => model.petOf(id), ...tags)
  const orderThing = (id: bigint, ...tags: ReadonlyArray<string>) =>
    thing(`/store/orders/${id}`, id, () => model.orderOf(id), ...tags)
  const categoryThing = (id: bigint, segment = String(id)) =>
    thing(`/categories/${segment}`, id, () => (names.has(id) ? { id, name: names.get(id) } : undefined))
  const categories = [0n, 1n, 2n].map((place) => categoryThing(firstCategory + place))
  const sent: Array<string> = []
  const happened: Array<Happened> = []
  /** Where the sequence begins in the feed. */
  let beginning = ""

  const petAt = (place: number | "newest"): Thing => oneOf(pets, place) ?? petThing(unused)
  const orderAt = (place: number | "newest"): Thing => oneOf(orders, place) ?? orderThing(unused)
  const categoryAt = (place: number | "newest"): Thing => oneOf(categories, place) ?? categoryThing(unused, "abc")

  const play = async (steps: ReadonlyArray<Step>): Promise<void> => {
    const newest = await send({ path: "/changes?order=desc&limit=1" })
    beginning = new URL(newest.link("monitor") ?? "", "http://service").searchParams.get("cursor") ?? ""
    for (const one of steps) {
      const before = look()
      await act(one)
      noteChange(one.operation === "closeOrder" ? `${one.how}Order` : one.operation, before, look())
      await compare()
    }
    await compareCategories()
  }

  const look = (): Rows =>
    new Map<string, object>([
      ...model.pets.map((pet) => [`pet ${pet.id}`, pet] as const),
      ...model.orders.map((order) => [`order ${order.id}`, order] as const),
      ...[...names].map(([id, name]) => [`category ${id}`, { id, name }] as const),
    ])

  /** Notes the change that a step leaves, if the model has changed. */
  const noteChange = (operation: string, before: Rows, after: Rows): void => {
    const isSame = (name: string): boolean => isDeepStrictEqual(before.get(name), after.get(name))
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isSame(name))
    const side = (all: Rows): Touched =>
      Object.fromEntries(changed.flatMap((name) => (all.has(name) ? [[name.split(" ")[0], all.get(name)]] : [])))
    if (changed.length > 0) happened.push({ operation, before: side(before), after: side(after) })
  }

  /** Reads the feed page by page, which must show exactly what happened in this sequence. */
  const readFeed = async ({ limit, ofPet, order, waits, hasOtherCursor }: StepOf<"listChanges">): Promise<void> => {
    const petId = ofPet === undefined ? undefined : petAt(ofPet).id
    const isNewest = order === "&order=desc"
    const isOfSequence = petId === undefined && !isNewest
    const query = `limit=${limit}${order}${petId === undefined ? "" : `&petId=${petId}`}${waits ? "&wait=0" : ""}`
    const cursor = isOfSequence || hasOtherCursor ? `&cursor=${beginning}` : ""
    const path = `/changes?${query}${cursor}`
    if ((isNewest && waits) || (hasOtherCursor && !isOfSequence))
      return void expectError(await send({ path }), "invalid_parameter")
    const inOrder = happened.filter((one) => petId === undefined || petOfChange(one) === petId)
    const expected = isNewest ? inOrder.toReversed() : inOrder
    const shown: Array<object> = []
    for await (const { response } of pagesFrom({ send }, `${client.http.prefix}${path}`)) {
      const page = changesOf(response).map(happenedIn)
      assert.ok(page.length <= limit, `expected at most ${limit} changes, got ${page.length}`)
      shown.push(...page)
      if (!isNewest) assert.ok(response.link("next")?.includes("cursor="), "an ascending page has no next link")
      if (page.length === 0 || (isNewest && shown.length >= expected.length)) break
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
      case "correctPet": {
        const { text: body, patch } = one.patch
        const make = (id: bigint, holds: () => boolean) => model.do(id, changing(patch ?? {}, holds))
        return change(one, petAt(one.which), { method: "PATCH", body, isMalformed: patch === undefined, make })
      }
      case "removePet":
        return change(one, petAt(one.which), {
          method: "DELETE",
          make: (id, holds) => model.do(id, changing("remove", holds)),
        })
      case "restorePet":
        return change(one, petAt(one.which), { method: "POST", action: "/restore", make: (id) => model.do(id, restoring) })
      case "createOrder":
        return order(one)
      case "closeOrder":
        return change(one, orderAt(one.which), {
          method: "POST",
          action: `/${one.how}`,
          make: (id) => model.doOf(id, closing(id, one.how)),
        })
      case "changeOrder": {
        const { text: body, note, isMalformed } = one.patch
        const make = (id: bigint, holds: () => boolean) => model.doOf(id, noting(id, note, holds))
        return change(one, orderAt(one.which), { method: "PATCH", body, isMalformed, make })
      }
      case "listChanges":
        return readFeed(one)
      case "replaceCategory":
        return change(one, categoryAt(one.which), {
          method: "PUT",
          body: JSON.stringify({ name: one.name, id: 7 }),
          make: (id, holds) => nameCategory(id, holds, one.name),
        })
      default:
        return change(one, categoryAt(one.which), { method: "DELETE", make: nameCategory })
    }
  }

  const create = async ({ pet }: StepOf<"createPet">): Promise<void> => {
    const response = await send({ method: "POST", path: "/pets", body: newPetJson(pet) })
    const { id, ...values } = createdPet(response, pet)
    model.create(id, values)
    pets.push(petThing(id, tagOf(response)))
  }

  /** Names a category, or removes its name. */
  const nameCategory = (id: bigint, holds: () => boolean, name?: string): string | undefined => {
    if (id === unused || (name === undefined && !names.has(id))) return "category_not_found"
    if (!holds()) return "precondition_failed"
    if (name === undefined) names.delete(id)
    else names.set(id, name)
    return undefined
  }

  /** Changes a pet, an order or a category. Expects the first applicable refusal or the model's values. */
  const change = async (
    { condition: given, isReader }: ChangeStep,
    thing: Thing,
    { action = "", isMalformed = false, make, ...request }: Change,
  ): Promise<void> => {
    const before = thing.values()
    const { headers, holds } = await conditions(thing, before !== undefined, given)
    const sender = isReader ? reader : client
    const response = await send({ ...request, path: thing.path + action, headers }, sender)
    if (isReader) return void expectError(response, "insufficient_scope")
    // If two parts of a request are wrong, the message may name either of them.
    if (holds === undefined)
      return void expectError(response, "invalid_parameter", ...(isMalformed ? ["invalid_body" as const] : []))
    if (isMalformed) return void expectError(response, "invalid_body")
    const code = make(thing.id, () => holds)
    // Safe: the specification's codes.
    if (code !== undefined) return void expectError(response, code as Code)
    const after = thing.values()
    const isNew = request.method === "PUT" && before === undefined
    assert.equal(response.status, after === undefined ? 204 : isNew ? 201 : 200, response.text)
    if (after !== undefined) {
      assert.deepEqual(untimed(members(response.json) ?? {}), after)
      thing.tags.add(tagOf(response))
    }
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
    orders.push(orderThing(id, tagOf(response)))
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
    for (const { path, values } of categories) {
      const response = await send({ path })
      if (values() === undefined) expectError(response, "category_not_found")
      else assert.deepEqual(members(response.json), values())
    }
  }

  /** Checks that the service lists exactly the model's pets with every filter, and exactly the model's orders. */
  const compare = async (): Promise<void> => {
    if (pets.length === 0) return
    const ids = pets.map(({ id }) => `id=${id}`).join("&")
    const there: ReadonlyArray<Pet> = model.pets
    const last = there.at(-1)
    const views: Array<readonly [query: string, has: (pet: Pet) => boolean]> = [
      ["", () => true],
      ["&withoutStatus=true", ({ status }) => status === undefined],
      ["&order=desc&status=available", ({ status }) => status === "available"],
    ]
    if (last !== undefined) {
      const { name, categoryId } = last
      const words = wordsOf(name)
      const text = [words.at(-1), words[0]].map((word = "") => Array.from(word).slice(0, 2).join("")).join(" ")
      views.push([`&categoryId=${categoryId}`, (pet) => pet.categoryId === categoryId])
      if (words.length > 0) views.push([`&name=${encodeURIComponent(text)}`, (pet) => isFoundBy(pet.name, text)])
      const listed = ordersOf(await send({ path: `/store/orders?petId=${last.id}` }))
      const expected = model.orders.filter(({ petId }) => petId === last.id)
      assert.deepEqual(listed.map(untimed), expected)
    }
    for (const [query, has] of views) {
      const expected = there.filter(has)
      const listed = pageOf(await send({ path: `/pets?${ids}&limit=100${query}` }))
      assert.deepEqual(listed, query.includes("desc") ? expected.toReversed() : expected)
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
