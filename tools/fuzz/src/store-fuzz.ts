/**
 * Plays sequences of changes and compares the service with a model of its store. Pets are created, corrected, ordered and
 * removed, categories get and lose names, some conditions hold and some do not, and some requests use a read-only key. The model
 * checks requests in the order that the specification defines (10.12), and after each step the service must agree with the model.
 */
import assert from "node:assert/strict"
import { byName, folded } from "@petstore/conformance/catalogue"
import { orderIn, ordersOf } from "@petstore/conformance/store-orders"
import { Client } from "@petstore/harness/client"
import { members } from "@petstore/harness/exact-json"
import { type Code, expectError, type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import fc from "fast-check"
import { checkResponse } from "./contract.ts"
import { goodName, newPet, type Patch, patch } from "./pets.ts"

export interface StoreFuzzSettings {
  readonly baseUrl: string
  readonly key: string
  /** A read-only key of the same account. */
  readonly readOnlyKey: string
  readonly sequences: number
  readonly seed: number
}

const closings = ["complete", "cancel"] as const
const conditionHeaders = ["If-Match", "If-None-Match"] as const
const tagsOfList = ["present", "weak", "former", "other"] as const

/** Draws the usual value `weight` times as often as the unusual one. */
const rarely = <A, B>(rare: A, usual: B, weight: number): fc.Arbitrary<A | B> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) })

/** A condition: its header and its list of tags. */
const condition = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      header: fc.constantFrom(...conditionHeaders),
      list: fc.array(fc.constantFrom(...tagsOfList), { minLength: 1, maxLength: 3 }),
      isStar: rarely(true, false, 5),
      malformed: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom("", ",", "x", '"a', "W/*", '*, "a"') },
      ),
      isOneLine: fc.boolean(),
    }),
  },
)

/** Whether the request uses the read-only key. */
const isReader = rarely(true, false, 12)

type Condition = NonNullable<typeof condition extends fc.Arbitrary<infer A> ? A : never>

/** Chooses a row that the sequence created, or one that does not exist. */
const which = fc.nat({ max: 11 })

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("create" as const), pet: newPet }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("correct" as const), which, patch, condition, isReader }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), which, condition, isReader }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("order" as const), which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("close" as const), which, closing: fc.constantFrom(...closings) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("name" as const), which, name: goodName, condition, isReader }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unname" as const), which, condition, isReader }) },
)

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never
type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>

/** An unused identifier. */
const unused = 8_999_999_999_999_999_999n

/** A pet or category in the model. */
interface Thing<Values> {
  readonly id: bigint
  values: Values | undefined
  /** The tags of all values that the pet or category has had. */
  readonly tags: Set<string>
}

/** One sequence: its model, and the connections for its requests. */
class Sequence {
  readonly #client: Client
  readonly #reader: Client
  readonly #pets: Array<Thing<Pet>> = []
  readonly #categories: Array<Thing<string>>
  readonly #orders: Array<{ readonly id: bigint; readonly petId: bigint; status: string }> = []
  readonly sent: Array<string> = []

  constructor(client: Client, reader: Client, firstCategory: bigint) {
    this.#client = client
    this.#reader = reader
    const newCategory = (place: number) => ({ id: firstCategory + BigInt(place), values: undefined, tags: new Set<string>() })
    this.#categories = [0, 1, 2].map(newCategory)
  }

  async play(steps: ReadonlyArray<Step>): Promise<void> {
    for (const one of steps) {
      await this.#step(one)
      await this.#compare()
    }
    await this.#compareCategories()
  }

  async #send(request: Request, client = this.#client): Promise<WireResponse> {
    const { method = "GET", path, body: sent, headers = [] } = request
    this.sent.push(`${client === this.#reader ? "(reader) " : ""}${method} ${path} ${headers.join("; ")} ${String(sent ?? "")}`)
    const response = await client.send(request)
    this.sent.push(`  ${response.status} ${response.text}`)
    checkResponse(response, method)
    return response
  }

  #step(one: Step): Promise<void> {
    switch (one.kind) {
      case "create":
        return this.#create(one)
      case "correct":
        return this.#correct(one)
      case "remove":
        return this.#remove(one)
      case "order":
        return this.#order(one)
      case "close":
        return this.#close(one)
      case "name":
        return this.#name(one)
      default:
        return this.#unname(one)
    }
  }

  async #create({ pet }: StepOf<"create">): Promise<void> {
    const { name, categoryId, status } = pet
    const text = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === undefined ? "" : `,"status":"${status}"`}}`
    const response = await this.#send({ method: "POST", path: "/pets", body: text })
    assert.equal(response.status, 201, response.text)
    const { id } = petOf(response.json)
    assert.deepEqual(petOf(response.json), { id, ...pet })
    this.#pets.push({ id, values: { id, ...pet }, tags: new Set([tagOf(response)]) })
  }

  async #correct({ which: place, patch: { text, patch: asked }, condition: given, isReader }: StepOf<"correct">): Promise<void> {
    const thing = oneOf(this.#pets, place)
    const { values } = thing ?? {}
    const { headers, holds } = await this.#conditions(thing, "/pets", given)
    const request = { method: "PATCH", path: `/pets/${thing?.id ?? unused}`, body: text, headers }
    const to = values === undefined || asked === undefined ? undefined : patched(values, asked)
    const refusals: ReadonlyArray<Refusal> = [
      [holds === undefined, "invalid_parameter"],
      [asked === undefined, "invalid_body"],
      [values === undefined, "pet_not_found"],
      [holds === false, "precondition_failed"],
      [this.#isHeld(thing) && to?.status !== values?.status, "pet_reserved"],
    ]
    const response = await this.#judged(request, isReader, refusals)
    if (response === undefined || thing === undefined || to === undefined) return
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(petOf(response.json), to)
    thing.values = to
    thing.tags.add(tagOf(response))
  }

  async #remove({ which: place, condition: given, isReader }: StepOf<"remove">): Promise<void> {
    const thing = oneOf(this.#pets, place)
    const { headers, holds } = await this.#conditions(thing, "/pets", given)
    const refusals: ReadonlyArray<Refusal> = [
      [holds === undefined, "invalid_parameter"],
      [thing?.values === undefined, "pet_not_found"],
      [holds === false, "precondition_failed"],
      [this.#isHeld(thing), "pet_reserved"],
    ]
    const response = await this.#judged({ method: "DELETE", path: `/pets/${thing?.id ?? unused}`, headers }, isReader, refusals)
    if (response === undefined || thing === undefined) return
    assert.equal(response.status, 204, response.text)
    thing.values = undefined
  }

  async #order({ which: place }: StepOf<"order">): Promise<void> {
    const thing = oneOf(this.#pets, place)
    const petId = thing?.id ?? unused
    const response = await this.#send({ method: "POST", path: "/store/orders", body: `{"petId":${petId}}` })
    if (thing?.values === undefined) return void expectError(response, "pet_not_found")
    if (thing.values.status !== "available") return void expectError(response, "pet_not_available")
    const { id } = orderIn(response, 201)
    this.#orders.push({ id, petId, status: "placed" })
    thing.values = { ...thing.values, status: "pending" }
  }

  async #close({ which: place, closing }: StepOf<"close">): Promise<void> {
    const order = oneOf(this.#orders, place)
    const response = await this.#send({ method: "POST", path: `/store/orders/${order?.id ?? unused}/${closing}` })
    const status = closing === "complete" ? "completed" : "cancelled"
    if (order === undefined) return void expectError(response, "order_not_found")
    if (order.status !== "placed" && order.status !== status) return void expectError(response, "order_closed")
    assert.equal(orderIn(response, 200).status, status)
    const pet = this.#pets.find(({ id }) => id === order.petId)
    if (order.status === "placed" && pet?.values !== undefined) {
      pet.values = { ...pet.values, status: closing === "complete" ? "sold" : "available" }
    }
    order.status = status
  }

  async #name({ which: place, name, condition: given, isReader }: StepOf<"name">): Promise<void> {
    const thing = this.#categories[place % 4]
    const { headers, holds } = await this.#conditions(thing, "/categories", given)
    const path = `/categories/${thing?.id ?? "abc"}`
    const request = { method: "PUT", path, body: JSON.stringify({ name, id: 7 }), headers }
    const isNew = thing?.values === undefined
    const refusals: ReadonlyArray<Refusal> = [
      [holds === undefined, "invalid_parameter"],
      [thing === undefined, "category_not_found"],
      [holds === false, "precondition_failed"],
    ]
    const response = await this.#judged(request, isReader, refusals)
    if (response === undefined || thing === undefined) return
    assert.equal(response.status, isNew ? 201 : 200, response.text)
    assert.deepEqual(members(response.json), { id: thing.id, name })
    thing.values = name
    thing.tags.add(tagOf(response))
  }

  async #unname({ which: place, condition: given, isReader }: StepOf<"unname">): Promise<void> {
    const thing = this.#categories[place % 4]
    const { headers, holds } = await this.#conditions(thing, "/categories", given)
    const refusals: ReadonlyArray<Refusal> = [
      [holds === undefined, "invalid_parameter"],
      [thing?.values === undefined, "category_not_found"],
      [holds === false, "precondition_failed"],
    ]
    const response = await this.#judged(
      { method: "DELETE", path: `/categories/${thing?.id ?? "abc"}`, headers },
      isReader,
      refusals,
    )
    if (response === undefined || thing === undefined) return
    assert.equal(response.status, 204, response.text)
    thing.values = undefined
  }

  /**
   * Sends a change and returns its response. If the change must be refused, checks that the response is the first applicable
   * refusal.
   */
  async #judged(request: Request, isReader: boolean, refusals: ReadonlyArray<Refusal>): Promise<WireResponse | undefined> {
    const response = await this.#send(request, isReader ? this.#reader : this.#client)
    const codes = refusals.filter(([applies]) => applies).map(([, code]) => code)
    const [first] = isReader ? (["insufficient_scope"] as const) : codes
    if (first === undefined) return response
    // If two parts of a request are wrong, the message may name either of them.
    expectError(
      response,
      ...(first === "invalid_parameter" && codes.includes("invalid_body") ? ([first, "invalid_body"] as const) : [first]),
    )
    return undefined
  }

  #isHeld(thing: Thing<Pet> | undefined): boolean {
    return this.#orders.some(({ petId, status }) => petId === thing?.id && status === "placed")
  }

  /** A condition's header lines, and whether the condition holds (`undefined` if it is malformed). */
  async #conditions(thing: Thing<unknown> | undefined, root: string, given: Condition | undefined) {
    if (given === undefined) return { headers: [], holds: true } as const
    const { header, malformed } = given
    if (malformed !== undefined) return { headers: [`${header}: ${malformed}`], holds: undefined }
    const exists = thing?.values !== undefined
    const present = exists ? tagOf(await this.#send({ path: `${root}/${thing.id}` })) : '"none"'
    const former = [...(thing?.tags ?? [])].find((tag) => tag !== present) ?? '"former"'
    const spelled = { present, weak: `W/${present}`, former, other: '"other"' }
    const tags = given.list.map((name) => spelled[name])
    const headers = given.isStar
      ? [`${header}: *`]
      : given.isOneLine
        ? [`${header}: ${tags.join(", ")}`]
        : tags.map((tag) => `${header}: ${tag}`)
    const matches =
      exists && (given.isStar || given.list.includes("present") || (header === "If-None-Match" && given.list.includes("weak")))
    return { headers, holds: header === "If-Match" ? matches : !matches }
  }

  async #compareCategories(): Promise<void> {
    for (const { id, values } of this.#categories) {
      const response = await this.#send({ path: `/categories/${id}` })
      if (values === undefined) expectError(response, "category_not_found")
      else assert.deepEqual(members(response.json), { id, name: values })
    }
  }

  /**
   * Checks that the service agrees with the model: the same pets with every filter, no removed pet, and the same orders for each
   * pet.
   */
  async #compare(): Promise<void> {
    if (this.#pets.length === 0) return
    const ids = this.#pets.map(({ id }) => `id=${id}`).join("&")
    const there = this.#pets.flatMap(({ values }) => (values === undefined ? [] : [values]))
    const last = there.at(-1)
    const listed = async (query: string): Promise<ReadonlyArray<Pet>> =>
      pageOf(await this.#send({ path: `/pets?${ids}&limit=100${query}` }))
    assert.deepEqual(await listed(""), there)
    assert.deepEqual(
      await listed("&order=desc&status=available"),
      there.filter(({ status }) => status === "available").toReversed(),
    )
    if (last !== undefined) {
      const { name, categoryId } = last
      const start = [...name].slice(0, 2).join("")
      assert.deepEqual(
        await listed(`&categoryId=${categoryId}`),
        there.filter((pet) => pet.categoryId === categoryId),
      )
      if (folded(start) !== "") {
        const named = there.filter((pet) => [...folded(pet.name)].slice(0, 64).join("").startsWith(folded(start)))
        assert.deepEqual(await listed(`&name=${encodeURIComponent(start)}`), named.toSorted(byName))
      }
      const orders = ordersOf(await this.#send({ path: `/store/orders?petId=${last.id}` }))
      const shown = orders.map(({ id, petId, status }) => ({ id, petId, status }))
      assert.deepEqual(
        shown,
        this.#orders.filter(({ petId }) => petId === last.id),
      )
    }
  }

  /** Cancels orders that hold a pet, and removes category names. */
  async end(): Promise<void> {
    for (const { id, status } of this.#orders) {
      if (status === "placed") await this.#client.send({ method: "POST", path: `/store/orders/${id}/cancel` })
    }
    for (const { id, values } of this.#categories) {
      if (values !== undefined) await this.#client.send({ method: "DELETE", path: `/categories/${id}` })
    }
  }
}

/** One of several values, or `undefined`. */
const oneOf = <A>(all: ReadonlyArray<A>, place: number): A | undefined => all[place % (all.length + 1)]

/** Whether a refusal applies, and its code. */
type Refusal = readonly [applies: boolean, code: Code]

const tagOf = (response: WireResponse): string =>
  response.header("etag") ?? assert.fail(`no ETag: ${response.status} ${response.text}`)

const patched = ({ status: former, ...pet }: Pet, { status = former ?? null, ...others }: Patch): Pet => {
  const known = status === null ? {} : { status }
  // Safe: only statuses that pets can have are drawn.
  return { ...pet, ...others, ...known } as Pet
}

/** Plays sequences one after another. Returns the smallest failing sequence, with its requests, its responses and the reason. */
export const fuzzStore = async ({
  baseUrl,
  key,
  readOnlyKey,
  sequences,
  seed,
}: StoreFuzzSettings): Promise<string | undefined> => {
  using client = new Client(baseUrl, key)
  using reader = new Client(baseUrl, readOnlyKey)
  let firstCategory = process.hrtime.bigint()
  let transcript: ReadonlyArray<string> = []
  const sequence = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24, size: "max" }), async (steps) => {
    firstCategory += 4n
    const played = new Sequence(client, reader, firstCategory)
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
  return `${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}\n${transcript.join("\n")}`
}
