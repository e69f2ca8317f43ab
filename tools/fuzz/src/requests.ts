/** Generates requests in valid HTTP, both plain and unusual, each with its expected response. */

import assert from "node:assert/strict"
import { createdPet, expectSorted, isFoundBy, wordsOf } from "@petstore/conformance/catalogue"
import {
  nearlyBelow,
  nearlyRoutes,
  otherMethods,
  withoutCredential,
  words,
  wrongContentTypes,
  wrongCursors,
  wrongIdentifiers,
  wrongLimits,
  wrongStatuses,
} from "@petstore/conformance/wrong-values"
import { operations } from "@petstore/core/contract"
import { pageOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import fc from "fast-check"
import { anything, type Check, refusal } from "./contract.ts"
import { anyOf, body, int64, perhaps, weighted } from "./pets.ts"

export interface Case {
  readonly request: Request
  readonly check: Check
}

/** Bytes that a header value may contain (RFC 9110 §5.5), without white space at the edges. */
const fieldValue = fc
  .array(fc.oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constantFrom(0x20, 0x09)), {
    maxLength: 30,
  })
  .map((codes) => String.fromCharCode(...codes).trim())

/** Header names that change how the message is parsed, or that a case sets itself. */
const reserved =
  /^(?:content-.*|transfer-encoding|connection|keep-alive|proxy-connection|host|expect|upgrade|te|trailer|authorization|idempotency-key|http2-settings)$/i

const token = fc
  .array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"), {
    minLength: 1,
    maxLength: 20,
  })
  .map((letters) => letters.join(""))

const header = fc
  .oneof(
    fc.tuple(
      token.filter((name) => !reserved.test(name)),
      fieldValue,
    ),
    fc.tuple(
      fc.constantFrom(
        ...words(`
          X-Request-Id If-None-Match Accept Origin Cookie Range X-HTTP-Method-Override X-Forwarded-Host
          Accept-Encoding __proto__ If-Match If-Modified-Since
        `),
      ),
      fc.oneof(fieldValue, fc.constantFrom("*", '"a", W/"b"', "bytes=0-0", "https://example.com", "DELETE", ",,,,")),
    ),
  )
  .map(([name, value]) => `${name}: ${value}`)

const headers = fc.array(header, { maxLength: 3 })

const goodLimit = fc.integer({ min: 1, max: 100 })
const statuses = ["available", "pending", "sold"] as const

const encoded = (value: string): string => encodeURIComponent(value.toWellFormed())

const badLimit = fc.oneof(
  anyOf(wrongLimits),
  fc
    .string({ maxLength: 6 })
    .filter((text) => !/^0*(?:[1-9][0-9]?|100)$/.test(text))
    .map(encoded),
)
const badStatus = fc.oneof(
  anyOf(wrongStatuses),
  fc
    .string({ unit: "binary", maxLength: 8 })
    .filter((text) => !statuses.some((status) => status === text))
    .map(encoded),
)
const badCursor = fc.oneof(fc.constantFrom(...wrongCursors), fc.string({ maxLength: 30 }).map(encoded))

const badInt64 = fc.oneof(
  fc.constantFrom(...wrongIdentifiers.notDecimal.filter((text) => text.length < 1_000)),
  fc.constantFrom("", "07", "%2B7"),
)

const strangeParameter = fc
  .tuple(fc.constantFrom("offset", "page", "__proto__", "limit.x", "%6C%69mitx", "x"), fc.string({ maxLength: 8 }).map(encoded))
  .map(([name, value]) => `${name}=${value}`)

const queryOf = (parts: ReadonlyArray<string>): string => (parts.length === 0 ? "" : `?${parts.join("&")}`)

/** Text with a word. */
const searched = fc
  .string({ minLength: 1, maxLength: 64, unit: "grapheme" })
  .filter((text) => /^[^\0]{1,64}$/u.test(text) && wordsOf(text).length > 0)

const listing: fc.Arbitrary<Case> = fc
  .tuple(
    fc.record({
      limit: perhaps(goodLimit),
      status: perhaps(fc.constantFrom(...statuses)),
      ids: perhaps(fc.array(fc.oneof(fc.bigInt({ min: 1n, max: 300n }), int64), { minLength: 1, maxLength: 100 })),
      categoryId: perhaps(fc.oneof(fc.constant(1n), int64)),
      name: perhaps(fc.oneof(fc.constantFrom("b", "BEL", "\u00c9", "\u{10ffff}a", "%a_", "'a'", "a OR b"), searched)),
      order: perhaps(fc.constantFrom("asc", "desc")),
    }),
    fc.array(strangeParameter, { maxLength: 2 }),
    headers,
  )
  .map(([{ limit, status, ids, categoryId, name, order }, strange, more]) => {
    const text = name === undefined ? undefined : encodeURIComponent(name)
    const named = Object.entries({ limit, status, categoryId, name: text, order }).filter(([, value]) => value !== undefined)
    const parts = [...(ids ?? []).map((id) => ["id", id]), ...named].map(([name, value]) => `${name}=${value}`)
    const request = { path: `/pets${queryOf([...parts, ...strange])}`, headers: more }
    // A condition in the random headers may hold.
    if (more.some((line) => /^if-none-match:/i.test(line))) return { request, check: anything }
    const check: Check = (response) => {
      const pets = pageOf(response)
      const most = limit ?? 20
      assert.ok(pets.length <= most, `expected at most ${most} pets, got ${pets.length}`)
      for (const pet of pets) {
        if (status !== undefined) assert.equal(pet.status, status)
        if (categoryId !== undefined) assert.equal(pet.categoryId, categoryId)
        if (name !== undefined) assert.ok(isFoundBy(pet.name, name), `${pet.name} does not have the words of ${name}`)
        if (ids !== undefined) assert.ok(ids.includes(pet.id), `pet ${pet.id} was not requested`)
      }
      expectSorted(order === "desc" ? pets.toReversed() : pets)
    }
    return { request, check }
  })

const badListing: fc.Arbitrary<Case> = fc
  .tuple(
    fc.oneof(
      badLimit.map((value) => [`limit=${value}`]),
      badStatus.map((value) => [`status=${value}`]),
      badCursor.map((value) => [`cursor=${value}`]),
      fc.tuple(fc.constantFrom("id", "categoryId"), badInt64).map(([name, value]) => [`${name}=${value}`]),
      fc.constantFrom("", "ASC", "up", "asc,desc").map((value) => [`order=${value}`]),
      fc
        .constantFrom("", "%FF", "%", "%00", "%CC%81", "a".repeat(65), "a&name=a", "-", "%F0%9F%90%B6")
        .map((value) => [`name=${value}`]),
      int64.map((value) => [`categoryId=${value}`, `categoryId=${value}`]),
      fc.uniqueArray(int64, { minLength: 101, maxLength: 110 }).map((ids) => ids.map((id) => `id=${id}`)),
      goodLimit.map((value) => [`limit=${value}`, `limit=${value}`]),
      fc.constantFrom(...statuses).map((value) => [`status=${value}`, "x=1", `status=${value}`]),
    ),
    fc.array(strangeParameter, { maxLength: 2 }),
    headers,
  )
  .map(([parts, strange, more]) => ({
    request: { path: `/pets${queryOf([...strange, ...parts])}`, headers: more },
    check: refusal(["invalid_parameter"]),
  }))

const goodType = fc.constantFrom(
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  'application/json;charset="UTF-8"',
)
const badType = fc.oneof(
  fc.constantFrom(null, ...wrongContentTypes),
  token.map((type) => `application/${type}x`),
)

/** A body, either with a declared length or chunked. */
const carried = (content: string | Uint8Array): fc.Arbitrary<Request> =>
  weighted(
    [4, fc.constant<Request>({ body: content })],
    [
      1,
      fc.nat({ max: 100 }).map((at): Request => {
        const bytes = Buffer.from(content)
        const parts = [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0)
        return { chunks: parts }
      }),
    ],
  )

const creating: fc.Arbitrary<Case> = fc.tuple(body, goodType, headers).chain(([content, contentType, more]) =>
  carried(content.text).map(
    (sent): Case => ({
      request: { method: "POST", path: "/pets", contentType, headers: more, ...sent },
      check: "pet" in content ? (response) => createdPet(response, content.pet) : refusal(content.codes),
    }),
  ),
)

/** Idempotency keys that are often the same, so that some requests share a key. */
const idempotencyKey = fc.oneof(
  fc.constantFrom("a", '"a"', "b"),
  token,
  fc.constantFrom("", '"', '""', "a b", "a, b", "é", "x".repeat(256), '"a";p=1'),
)

const creatingOnce: fc.Arbitrary<Case> = fc.tuple(body, idempotencyKey).map(([{ text }, key]) => ({
  request: { method: "POST", path: "/pets", body: text, headers: [`Idempotency-Key: ${key}`] },
  check: anything,
}))

const wrongType: fc.Arbitrary<Case> = fc.tuple(body, badType).map(([{ text }, contentType]) => ({
  request: { method: "POST", path: "/pets", body: text, contentType },
  check: refusal(["unsupported_content_type"]),
}))

const tooLarge: fc.Arbitrary<Case> = fc.integer({ min: 65_537, max: 90_000 }).chain((length) =>
  carried(`{"name":"a","categoryId":1,"x":"${"a".repeat(length)}"}`).map((sent) => ({
    request: { method: "POST", path: "/pets", ...sent },
    check: refusal(["body_too_large"]),
  })),
)

const strangePath = fc.oneof(
  fc.constantFrom("/", "", "/store/orders/1", "/pets/%", "/pets/..%2f..%2fetc%2fpasswd", "/pets/constructor", "/pets/1?x#y"),
  fc.array(fc.constantFrom(..."abcXYZ019-._~!$&'()*+,;=:@/%"), { maxLength: 30 }).map((letters) => `/${letters.join("")}`),
)

const identifier = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.integer({ min: 1, max: 5000 }).map(String),
  anyOf(wrongIdentifiers),
  fc.string({ maxLength: 10 }).map(encoded),
)

/** The path of any described operation. The method sometimes belongs to a different operation. */
const operationPath = fc
  .tuple(fc.constantFrom(...Object.values(operations).map(({ path }): string => path)), identifier)
  .map(([path, id]) => path.replace(/\{\w+\}/, () => id))

const method = fc.constantFrom("GET", "HEAD", "POST", "OPTIONS", "QUERY", "LINK", ...otherMethods)

const elsewhere: fc.Arbitrary<Case> = fc
  .tuple(
    method,
    fc.oneof(
      fc.oneof(strangePath, operationPath).map((path) => ({ path })),
      fc.oneof(anyOf(nearlyRoutes), anyOf(nearlyBelow)).map((target) => ({ target })),
    ),
    headers,
    fc.option(body),
  )
  .map(([verb, place, more, content]) => ({
    request: { method: verb, ...place, headers: more, ...(content === null ? {} : { body: content.text }) },
    check: anything,
  }))

/** Requests outside the base path. They do not need a key, and allow only the statuses 200, 302, 404 and 405. */
const outside: fc.Arbitrary<Case> = fc
  .tuple(
    method,
    fc.oneof(
      fc.constantFrom("/healthz", "/readyz", "/", "/v1x", "/v2/pets", "/V1/pets", "/metrics", "/.env"),
      strangePath.map((path) => `/x${path}`),
    ),
  )
  .map(([verb, target]) => ({ request: { method: verb, target, authorization: [] }, check: anything }))

const noCredential = fc.constantFrom([], ...withoutCredential)
const badCredential = fc.oneof(
  fc.constantFrom(
    ["Bearer x"],
    ["Bearer pst_dev_"],
    [`Bearer pst_dev_${"0".repeat(38)}`],
    ["Bearer pst_live_x"],
    [`Bearer ${"x".repeat(9000)}`],
    ["bearer  x y"],
    ["Bearer x", "Bearer x"],
  ),
  fc
    .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 60 })
    .map((codes) => [`Bearer ${String.fromCharCode(...codes)}`]),
)

const unauthorised: fc.Arbitrary<Case> = fc
  .tuple(
    fc.oneof(
      noCredential.map((lines) => ({ lines, code: "missing_credential" as const })),
      badCredential.map((lines) => ({ lines, code: "invalid_credential" as const })),
    ),
    method,
    fc.oneof(operationPath, fc.constantFrom("/pets?limit=0", "/none")),
  )
  .map(([{ lines, code }, verb, path]) => ({
    request: { method: verb, path, authorization: lines },
    check: refusal([code], verb),
  }))

const getting: fc.Arbitrary<Case> = identifier.map((id) => ({ request: { path: `/pets/${id}` }, check: anything }))

/** Any request in valid HTTP. */
export const requestCase: fc.Arbitrary<Case> = weighted(
  [40, creating],
  [8, creatingOnce],
  [4, wrongType],
  [1, tooLarge],
  [16, listing],
  [16, badListing],
  [8, getting],
  [20, elsewhere],
  [6, outside],
  [10, unauthorised],
)
