import assert from "node:assert/strict"
import { type Json, members } from "./exact-json.ts"
import type { WireResponse } from "./response.ts"

/** The closed list of error codes, each with its status (7.11). */
export const codes = {
  malformed_request: 400,
  invalid_parameter: 400,
  invalid_json: 400,
  invalid_body: 400,
  unsupported_content_type: 400,
  missing_credential: 401,
  invalid_credential: 401,
  insufficient_scope: 403,
  pet_not_found: 404,
  route_not_found: 404,
  order_not_found: 404,
  category_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  pet_not_available: 409,
  pet_reserved: 409,
  order_closed: 409,
  order_not_completed: 409,
  pet_changed: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  idempotency_key_reused: 422,
  rate_limited: 429,
  too_many_waiting: 429,
  headers_too_large: 431,
  internal_error: 500,
  storage_unavailable: 503,
  service_overloaded: 503,
  service_stopping: 503,
} as const

export type Code = keyof typeof codes

const isCode = (text: string): text is Code => Object.hasOwn(codes, text)

/** Signs of a stack trace, a file, a query or a library, which clients must not see (7.5). */
const internals =
  /\bat .+:\d+:\d+|node_modules|\.[cm]?[jt]s\b|\bSQLITE_|\bECONN|\b(?:select|insert) .+ (?:from|into)\b|effect|koa|\bundefined\b|\[object /i

export const expectJson = (response: WireResponse): void =>
  assert.match(
    response.header("content-type") ?? "none",
    /^application\/json(?:; ?charset=utf-8)?$/i,
    "the content type is not JSON",
  )

/** Returns a response's Error object. Fails if the response is not a well-formed error. */
export const errorOf = (response: WireResponse): { readonly code: Code; readonly message: string } => {
  assert.ok(response.status >= 400, `expected an error, got ${response.status} ${response.text.slice(0, 200)}`)
  expectJson(response)
  const error = members(response.json)
  assert.deepEqual(
    Object.keys(error ?? {}).sort(),
    ["code", "message", "status"],
    `expected an Error object with three members, got ${response.text}`,
  )
  assert.equal(error?.["status"], BigInt(response.status), "the status in the Error object is not the HTTP status")
  const { code, message } = error
  assert.ok(typeof message === "string" && message.trim() !== "", "the message is blank or not a string")
  assert.ok(typeof code === "string" && isCode(code), `the code is not in the closed list: ${String(code)}`)
  assert.equal(response.status, codes[code], `expected ${codes[code]} for ${code}, got ${response.status}`)
  assert.doesNotMatch(message, internals, `the message reveals internals: ${message}`)
  return { code, message }
}

/** Fails unless the response is an error with one of these codes. Returns its message. */
export const expectError = (response: WireResponse, ...expected: ReadonlyArray<Code>): string => {
  const { code, message } = errorOf(response)
  assert.ok(expected.includes(code), `expected ${expected.join(" or ")}, got ${response.status} ${code}: ${message}`)
  return message
}

export const expectStatus = (response: WireResponse, status: number): WireResponse => {
  assert.equal(response.status, status, `expected ${status}, got ${response.status} ${response.text.slice(0, 300)}`)
  return response
}

export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: string
}

const int64 = (value: unknown): value is bigint => typeof value === "bigint" && BigInt.asIntN(64, value) === value

/** Parses a pet with exactly the members of 2.1. */
export const petOf = (value: Json): Pet => {
  const { id, name, categoryId, status, ...others } = members(value) ?? {}
  assert.deepEqual(Object.keys(others), [], `unexpected members of a pet: ${Object.keys(others).join()}`)
  assert.ok(int64(id), `id is not an int64: ${String(id)}`)
  assert.ok(typeof name === "string", "name is not a string")
  assert.ok(int64(categoryId), `categoryId is not an int64: ${String(categoryId)}`)
  if (status === undefined) return { id, name, categoryId }
  assert.ok(status === "available" || status === "pending" || status === "sold", `unknown status: ${String(status)}`)
  return { id, name, categoryId, status }
}

/** Parses the rows on a page. Fails unless the response is 200 with an array of such rows in `application/json`. */
export const pageOfRows =
  <Row>(rowOf: (value: Json) => Row) =>
  (response: WireResponse): ReadonlyArray<Row> => {
    expectStatus(response, 200)
    expectJson(response)
    const page = response.json
    assert.ok(Array.isArray(page), "the page is not an array")
    return page.map(rowOf)
  }

export const pageOf = pageOfRows(petOf)

/** Returns a response's entity tag. Fails unless the tag is strong. */
export const tagOf = (response: WireResponse): string => {
  const tag = response.header("etag") ?? "none"
  assert.match(
    tag,
    /^"[\x21\x23-\x7e]+"$/,
    `expected a strong ETag, got ${tag}: ${response.status} ${response.text.slice(0, 200)}`,
  )
  return tag
}

/** The form of a valid `X-Request-Id` (10.27). */
export const wellFormedId = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (response: WireResponse): string => {
  const ids = response.all("x-request-id")
  assert.equal(ids.length, 1, `expected one X-Request-Id, got ${ids.length}`)
  return ids[0] ?? ""
}

/** The items of a comma-separated header, sorted. */
export const listed = (response: WireResponse, header: string): ReadonlyArray<string> =>
  (response.header(header) ?? "")
    .split(",")
    .map((item) => item.trim())
    .sort()

/** Fails unless the response has the three headers of the deprecated operation (4.3.6 to 4.3.8). */
export const expectDeprecated = (response: WireResponse, prefix: string): void => {
  assert.equal(response.header("deprecation"), "@1764892800")
  assert.equal(response.header("sunset"), "Thu, 05 Dec 2030 00:00:00 GMT")
  assert.equal(response.link("successor-version"), `${prefix}/pets`)
}
