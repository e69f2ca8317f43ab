import assert from "node:assert/strict"
import { type Json, members } from "@petstore/harness/exact-json"
import { expectStatus, pageOfRows } from "@petstore/harness/expectations"
import type { Http, Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { create, readPet } from "./catalogue.ts"

export interface Order {
  readonly id: bigint
  readonly petId: bigint
  readonly status: (typeof statuses)[number]
  readonly createdAt: string
  readonly updatedAt: string
  readonly note?: string
}

export type Closing = "complete" | "cancel" | "return"

const statuses = ["placed", "completed", "cancelled", "returned"] as const

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Parses an order with exactly the members of 4.5.28. */
export const orderOf = (value: Json): Order => {
  const { id, petId, status: given, createdAt, updatedAt, note, ...others } = members(value) ?? {}
  assert.deepEqual(Object.keys(others), [], `unexpected members of an order: ${Object.keys(others).join()}`)
  assert.ok(typeof id === "bigint" && typeof petId === "bigint", "expected integers as id and petId")
  const status = statuses.find((one) => one === given) ?? assert.fail(`unexpected status: ${String(given)}`)
  assert.ok(typeof createdAt === "string" && instant.test(createdAt), `createdAt is not a UTC timestamp: ${String(createdAt)}`)
  assert.ok(typeof updatedAt === "string" && instant.test(updatedAt), `updatedAt is not a UTC timestamp: ${String(updatedAt)}`)
  const order = { id, petId, status, createdAt, updatedAt }
  if (note === undefined) return order
  assert.ok(typeof note === "string", "the note is not a string")
  return { ...order, note }
}

export const orderIn = (response: WireResponse, status: number): Order => orderOf(expectStatus(response, status).json)

export const ordersOf = pageOfRows(orderOf)

export const postOrder = (http: Http, body: string | Uint8Array, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "POST", path: "/store/orders", body, ...request })

export const orderPet = (http: Http, petId: bigint, request: Request = {}): Promise<WireResponse> =>
  postOrder(http, `{"petId":${petId}}`, request)

export const placeOrder = async (http: Http, petId: bigint): Promise<Order> => {
  const order = orderIn(await orderPet(http, petId), 201)
  assert.deepEqual([order.petId, order.status], [petId, "placed"])
  return order
}

export const place = async (http: Http): Promise<Order> => placeOrder(http, (await create(http, { status: "available" })).id)

export const close = (http: Http, id: bigint | string, closing: Closing, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "POST", path: `/store/orders/${id}/${closing}`, ...request })

/** Completes, cancels or returns an order. Fails unless the response is 200 with an order. */
export const closed = async (http: Http, id: bigint, closing: Closing, request: Request = {}): Promise<Order> =>
  orderIn(await close(http, id, closing, request), 200)

export const readOrder = async (http: Http, id: bigint): Promise<Order> => orderIn(await http.get(`/store/orders/${id}`), 200)

export const petStatus = async (http: Http, id: bigint): Promise<string | undefined> => (await readPet(http, id)).status

export const sell = async (http: Http): Promise<Order> => closed(http, (await place(http)).id, "complete")

export const noteOn = (http: Http, id: bigint | string, body: string, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "PATCH", path: `/store/orders/${id}`, body, ...request })
