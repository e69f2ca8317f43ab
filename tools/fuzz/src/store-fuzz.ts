/** Compares the service with a model of its store after each change. The model checks requests in the specified order (10.12). */
import assert from "node:assert/strict"
import { createdPet, isFoundBy, newPetJson, wordsOf } from "@petstore/conformance/catalogue"
import { orderIn, ordersOf, statusAfter } from "@petstore/conformance/store-orders"
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import { members } from "@petstore/harness/exact-json"
import { type Code, expectError, type Pet, pageOf, tagOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import fc from "fast-check"
import { checkResponse } from "./contract.ts"
import { goodName, newPet, type Patch, patch, weighted } from "./pets.ts"

interface StoreFuzzSettings {
  readonly baseUrl: string
  readonly key: string
  /** A read-only key for the same account. */
  readonly readOnlyKey: string
  readonly sequences: number
  readonly seed: number
}

const closings = ["complete", "cancel"] as const
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
const which = fc.nat({ max: 11 })

const step = weighted(
  [5, fc.record({ kind: fc.constant("create" as const), pet: newPet })],
  [8, fc.record({ kind: fc.constant("correct" as const), which, patch, condition, isReader })],
  [3, fc.record({ kind: fc.constant("remove" as const), which, condition, isReader })],
  [4, fc.record({ kind: fc.constant("order" as const), which })],
  [3, fc.record({ kind: fc.constant("close" as const), which, closing: fc.constantFrom(...closings) })],
  [3, fc.record({ kind: fc.constant("name" as const), which, name: goodName, condition, isReader })],
  [2, fc.record({ kind: fc.constant("unname" as const), which, condition, isReader })],
)

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never
type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>

interface Category {
  readonly id: bigint
  readonly name: string
}

/** A pet or category in the model. */
interface Thing<Values> {
  readonly id: bigint
  readonly path: string
  values: Values | undefined
  /** The tags of all values that the pet or category has had. */
  readonly tags: Set<string>
}

const unused = 8_999_999_999_999_999_999n
const missingPet: Thing<Pet> = { id: unused, path: `/pets/${unused}`, values: undefined, tags: new Set() }
const missingCategory: Thing<Category> = { id: unused, path: "/categories/abc", values: undefined, tags: new Set() }

interface Change<Values> {
  readonly method: string
  readonly body?: string
  /** The refusals that rank between a malformed condition and a false one. */
  readonly refusals: ReadonlyArray<Code | false>
  readonly isReserved?: boolean
  /** The values afterwards, or `undefined` after a removal. */
  readonly to: Values | undefined
}

/** One sequence: its model, and the connections for its requests. */
const newSequence = (client: Client, reader: Client, firstCategory: bigint) => {
  const pets: Array<Thing<Pet>> = []
  const categories = [0n, 1n, 2n].map((place): Thing<Category> => {
    const id = firstCategory + place
    return { id, path: `/categories/${id}`, values: undefined, tags: new Set<string>() }
  })
  const orders: Array<{ readonly id: bigint; readonly petId: bigint; status: string }> = []
  const sent: Array<string> = []

  const petAt = (place: number): Thing<Pet> => oneOf(pets, place) ?? missingPet
  const categoryAt = (place: number): Thing<Category> => oneOf(categories, place) ?? missingCategory

  const play = async (steps: ReadonlyArray<Step>): Promise<void> => {
    for (const one of steps) {
      await act(one)
      await compare()
    }
    await compareCategories()
  }

  const send = async (request: Request, sender = client): Promise<WireResponse> => {
    const { method = "GET", path, body: content, headers = [] } = request
    sent.push(`${sender === reader ? "(reader) " : ""}${method} ${path} ${headers.join("; ")} ${String(content ?? "")}`)
    const response = await sender.send(request)
    sent.push(`  ${response.status} ${response.text}`)
    checkResponse(response, method)
    return response
  }

  const act = (one: Step): Promise<void> => {
    switch (one.kind) {
      case "create":
        return create(one)
      case "correct":
        return correct(one)
      case "remove": {
        const pet = petAt(one.which)
        const refusals = [pet.values === undefined && "pet_not_found"] as const
        return change(one, pet, { method: "DELETE", refusals, isReserved: isHeld(pet), to: undefined })
      }
      case "order":
        return order(one)
      case "close":
        return close(one)
      case "name": {
        const category = categoryAt(one.which)
        const { name } = one
        const refusals = [category === missingCategory && "category_not_found"] as const
        const to = { id: category.id, name }
        return change(one, category, { method: "PUT", body: JSON.stringify({ name, id: 7 }), refusals, to })
      }
      default: {
        const category = categoryAt(one.which)
        const refusals = [category.values === undefined && "category_not_found"] as const
        return change(one, category, { method: "DELETE", refusals, to: undefined })
      }
    }
  }

  const create = async ({ pet }: StepOf<"create">): Promise<void> => {
    const response = await send({ method: "POST", path: "/pets", body: newPetJson(pet) })
    const values = createdPet(response, pet)
    pets.push({ id: values.id, path: `/pets/${values.id}`, values, tags: new Set([tagOf(response)]) })
  }

  const correct = (one: StepOf<"correct">): Promise<void> => {
    const { text, patch: asked } = one.patch
    const pet = petAt(one.which)
    const { values } = pet
    const to = values && asked && patched(values, asked)
    const refusals = [asked === undefined && "invalid_body", values === undefined && "pet_not_found"] as const
    const isReserved = isHeld(pet) && to?.status !== values?.status
    return change(one, pet, { method: "PATCH", body: text, refusals, isReserved, to })
  }

  /** Changes a pet or category. Expects the first applicable refusal or the predicted values. */
  const change = async <Values extends object>(
    { condition: given, isReader }: Pick<StepOf<"remove">, "condition" | "isReader">,
    thing: Thing<Values>,
    { refusals, isReserved = false, to, ...request }: Change<Values>,
  ): Promise<void> => {
    const { headers, holds } = await conditions(thing, given)
    const sender = isReader ? reader : client
    const response = await send({ ...request, path: thing.path, headers }, sender)
    const all: ReadonlyArray<Code | false> = [
      isReader && "insufficient_scope",
      holds === undefined && "invalid_parameter",
      ...refusals,
      holds === false && "precondition_failed",
      isReserved && "pet_reserved",
    ]
    const [first, second] = all.filter((code) => code !== false)
    // If two parts of a request are wrong, the message may name either of them.
    const isEither = first === "invalid_parameter" && second === "invalid_body"
    if (first !== undefined) return void expectError(response, first, ...(isEither ? [second] : []))
    assert.equal(response.status, to === undefined ? 204 : thing.values === undefined ? 201 : 200, response.text)
    if (to !== undefined) {
      assert.deepEqual(members(response.json), to)
      thing.tags.add(tagOf(response))
    }
    thing.values = to
  }

  const order = async ({ which: place }: StepOf<"order">): Promise<void> => {
    const thing = petAt(place)
    const petId = thing.id
    const response = await send({ method: "POST", path: "/store/orders", body: `{"petId":${petId}}` })
    if (thing.values === undefined) return void expectError(response, "pet_not_found")
    if (thing.values.status !== "available") return void expectError(response, "pet_not_available")
    const { id } = orderIn(response, 201)
    orders.push({ id, petId, status: "placed" })
    thing.values = { ...thing.values, status: "pending" }
  }

  const close = async ({ which: place, closing }: StepOf<"close">): Promise<void> => {
    const order = oneOf(orders, place)
    const response = await send({ method: "POST", path: `/store/orders/${order?.id ?? unused}/${closing}` })
    const status = statusAfter[closing]
    if (order === undefined) return void expectError(response, "order_not_found")
    if (order.status !== "placed" && order.status !== status) return void expectError(response, "order_closed")
    assert.equal(orderIn(response, 200).status, status)
    const pet = pets.find(({ id }) => id === order.petId)
    if (order.status === "placed" && pet?.values !== undefined) {
      pet.values = { ...pet.values, status: closing === "complete" ? "sold" : "available" }
    }
    order.status = status
  }

  const isHeld = ({ id }: Thing<Pet>): boolean => orders.some(({ petId, status }) => petId === id && status === "placed")

  /** A condition's header lines, and whether the condition holds (`undefined` if it is malformed). */
  const conditions = async (thing: Thing<unknown>, given: Condition | undefined) => {
    if (given === undefined) return { headers: [], holds: true } as const
    const { header, malformed } = given
    if (malformed !== undefined) return { headers: [`${header}: ${malformed}`], holds: undefined }
    const exists = thing.values !== undefined
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
      if (values === undefined) expectError(response, "category_not_found")
      else assert.deepEqual(members(response.json), values)
    }
  }

  /** Checks that the service lists exactly the model's pets with every filter, and exactly the model's orders. */
  const compare = async (): Promise<void> => {
    if (pets.length === 0) return
    const ids = pets.map(({ id }) => `id=${id}`).join("&")
    const there = pets.flatMap(({ values }) => (values === undefined ? [] : [values]))
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
      const shown = listed.map(({ id, petId, status }) => ({ id, petId, status }))
      assert.deepEqual(
        shown,
        orders.filter(({ petId }) => petId === last.id),
      )
    }
  }

  /** Cancels orders that hold a pet, and removes category names. */
  const end = async (): Promise<void> => {
    for (const { id, status } of orders) {
      if (status === "placed") await client.send({ method: "POST", path: `/store/orders/${id}/cancel` })
    }
    for (const { path, values } of categories) {
      if (values !== undefined) await client.send({ method: "DELETE", path })
    }
  }
  return { play, end, sent }
}

const oneOf = <A>(all: ReadonlyArray<A>, place: number): A | undefined => all[place % (all.length + 1)]

const patched = ({ status: former, ...pet }: Pet, { status = former ?? null, ...others }: Patch): Pet => {
  const known = status === null ? {} : { status }
  // Safe: only statuses that pets can have are drawn.
  return { ...pet, ...others, ...known } as Pet
}

/** Runs sequences one after another. Returns the smallest failing sequence, with its requests, its responses and the reason. */
export const fuzzStore = async (settings: StoreFuzzSettings): Promise<string | undefined> => {
  const { baseUrl, key, readOnlyKey, sequences, seed } = settings
  using client = new Client(baseUrl, key)
  using reader = new Client(baseUrl, readOnlyKey)
  let firstCategory = process.hrtime.bigint()
  let transcript: ReadonlyArray<string> = []
  const sequence = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24, size: "max" }), async (steps) => {
    firstCategory += 4n
    const played = newSequence(client, reader, firstCategory)
    try {
      await played.play(steps)
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
