import assert from "node:assert/strict"
import { type Json, members } from "@petstore/harness/exact-json"
import { expectStatus, type Pet, pageOfRows, petOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { create, patch, remove, restore, uniqueName } from "./catalogue.ts"
import { closed, noteOn, type Order, orderOf, placeOrder } from "./store-orders.ts"

export interface Touched {
  readonly pet?: Pet
  readonly order?: Order
  readonly category?: Json
}

export interface Change {
  readonly id: string
  readonly operation: string
  readonly by: Json | undefined
  readonly requestId: Json | undefined
  readonly before?: Touched
  readonly after?: Touched
}

const touchedOf = (value: Json | undefined): Touched | undefined => {
  if (value === undefined) return undefined
  const { pet, order, category, ...others } = members(value) ?? {}
  assert.deepEqual(Object.keys(others), [], `unexpected members of one side of a change: ${Object.keys(others).join()}`)
  assert.ok(pet !== undefined || order !== undefined || category !== undefined, "one side of a change has no resource")
  return {
    ...(pet !== undefined && { pet: petOf(pet) }),
    ...(order !== undefined && { order: orderOf(order) }),
    ...(category !== undefined && { category }),
  }
}

/** Parses a change with exactly the members of 16.21. */
const changeOf = (value: Json): Change => {
  const { id, at, operation, by, requestId, before, after, ...others } = members(value) ?? {}
  assert.deepEqual(Object.keys(others), [], `unexpected members of a change: ${Object.keys(others).join()}`)
  assert.ok(typeof id === "string" && /^[-_0-9A-Za-z]+$/.test(id), `unexpected id: ${String(id)}`)
  assert.match(String(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "at is not a UTC timestamp")
  assert.ok(typeof operation === "string", "operation is not a string")
  const [from, to] = [touchedOf(before), touchedOf(after)]
  assert.ok(from !== undefined || to !== undefined, "a change has neither before nor after")
  return { id, operation, by, requestId, ...(from && { before: from }), ...(to && { after: to }) }
}

export const changesOf = pageOfRows(changeOf)

/** The pet that a change is about. Its changes are in order. */
export const petOfChange = ({ before, after }: Pick<Change, "before" | "after">): bigint | undefined => {
  const { pet, order } = { ...before, ...after }
  return order?.petId ?? pet?.id
}

/** A change without who made it and when. */
export const told = ({ id: _, by: __, requestId: ___, ...change }: Change): Pick<Change, "operation" | "before" | "after"> =>
  change

/** Reads at most 100 changes of a pet. */
export const historyOf = async (http: Http, petId: bigint, query = ""): Promise<ReadonlyArray<Change>> =>
  changesOf(await http.get(`/changes?limit=100&petId=${petId}${query}`))

/**
 * Corrects, sells, removes, restores, returns and removes a pet, whose order gets a note while the pet is gone. Checks that each of
 * these left one change, and nothing else did. Returns the changes.
 */
export const lifeOf = async (http: Http) => {
  const pet = await create(http, { status: "available" })
  const named = { ...pet, name: uniqueName() }
  expectStatus(await patch(http, pet.id, `{"name":${JSON.stringify(named.name)}}`), 200)
  const placed = await placeOrder(http, pet.id)
  const completed = await closed(http, placed.id, "complete")
  expectStatus(await remove(http, pet.id), 204)
  for (const note of [`{"note":"for Ada"}`, `{"note":"for Ada"}`, "{}"]) expectStatus(await noteOn(http, placed.id, note), 200)
  for (let time = 0; time < 2; time += 1) expectStatus(await restore(http, pet.id), 200)
  const returned = await closed(http, placed.id, "return")
  assert.deepEqual(await closed(http, placed.id, "return"), returned)
  expectStatus(await remove(http, pet.id), 204)
  const [pending, sold] = [
    { ...named, status: "pending" },
    { ...named, status: "sold" },
  ]
  const noted = { ...completed, note: "for Ada" }
  const expected = [
    { operation: "createPet", after: { pet } },
    { operation: "correctPet", before: { pet }, after: { pet: named } },
    { operation: "createOrder", before: { pet: named }, after: { pet: pending, order: placed } },
    { operation: "completeOrder", before: { pet: pending, order: placed }, after: { pet: sold, order: completed } },
    { operation: "removePet", before: { pet: sold } },
    { operation: "changeOrder", before: { order: completed }, after: { order: noted } },
    { operation: "restorePet", after: { pet: sold } },
    { operation: "returnOrder", before: { pet: sold, order: noted }, after: { pet: named, order: returned } },
    { operation: "removePet", before: { pet: named } },
  ]
  const history = await historyOf(http, pet.id)
  assert.deepEqual(history.map(told), expected)
  assert.equal(new Set(history.map(({ id }) => id)).size, expected.length)
  assert.deepEqual(await historyOf(http, pet.id), history)
  return { pet, history }
}
