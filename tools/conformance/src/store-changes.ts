import assert from "node:assert/strict"
import { type Json, members } from "@petstore/harness/exact-json"
import { type Pet, pageOfRows, petOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { type Order, orderOf } from "./store-orders.ts"

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

export const told = ({ operation, before, after }: Change) => ({
  operation,
  ...(before && { before }),
  ...(after && { after }),
})

/** Reads at most 100 changes of a pet. */
export const historyOf = async (http: Http, petId: bigint, query = ""): Promise<ReadonlyArray<Change>> =>
  changesOf(await http.get(`/changes?limit=100&petId=${petId}${query}`))
