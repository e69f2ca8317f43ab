/** Section 4.2: adding a pet. This file tests the body as a whole and its type, and `values.ts` tests the values. */
import assert from "node:assert/strict"
import { gzipSync } from "node:zlib"
import { type Code, expectError, expectStatus, petOf } from "@petstore/harness/expectations"
import type { Http, Request } from "@petstore/harness/http"
import { create, createdPet, createFrom, newPetJson, uniqueName, walk } from "../catalogue.ts"
import { refusesTypes } from "../every.ts"
import { type Cases, each, eachOf, type Sentence, writes } from "../sentence.ts"
import { notJson, wrongCharsets, wrongContentTypes, wrongMediaTypeParameters } from "../wrong-values.ts"

const bodyLimitBytes = 65_536
const valid = (): string => newPetJson({ name: uniqueName(), categoryId: 7n, status: "sold" })

const refuses = (http: Http, code: Code, bodies: ReadonlyArray<string | Uint8Array>): Promise<void> =>
  eachOf(bodies, async (body) => expectError(await http.post(body), code))

const rejects = (number: string, title: string, bodies: ReadonlyArray<string>): Sentence =>
  writes(number, title, ({ http }) => eachOf(bodies, async (body) => expectStatus(await http.post(body), 400)))

const rejectsTypes = (number: string, title: string, types: ReadonlyArray<string | null>): Sentence =>
  writes(number, title, ({ http }) => refusesTypes((type) => http.post(valid(), type), types))

/** A valid body of exactly this many bytes. */
const padded = (bytes: number): string => {
  const empty = `{"name":${JSON.stringify(uniqueName())},"categoryId":1,"padding":""}`
  return empty.replace(`"padding":""`, `"padding":"${"a".repeat(bytes - empty.length)}"`)
}

const chunksOf = (text: string, bytes: number): ReadonlyArray<string> => text.match(new RegExp(`.{1,${bytes}}`, "gs")) ?? []

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)

export const creating: ReadonlyArray<Sentence> = [
  writes("4.2.1", "responds with 201, the pet and its id", ({ http }) => create(http, { categoryId: 7n, status: "available" })),
  rejects("4.2.2", "rejects a body without a name", [`{"categoryId":1}`, `{"categoryId":1,"status":"sold"}`]),
  rejects("4.2.3", "rejects a body without a categoryId", [`{"name":"x"}`, `{"name":"x","category_id":1,"status":"sold"}`]),
  rejects("4.2.4", "rejects an invalid value", [
    `{"name":1,"categoryId":1}`,
    `{"name":"x","categoryId":"x"}`,
    `{"name":"x","categoryId":1,"status":"lost"}`,
  ]),
  writes("4.2.5", "accepts a pet without a status", ({ http }) => create(http)),
  writes("4.2.6", "returns the pet's location as an origin-relative path", async ({ http }) => {
    const response = await http.post(valid(), { host: [http.base.host], headers: ["X-Forwarded-Host: evil.example"] })
    const pet = petOf(response.json)
    assert.equal(response.header("location"), `${http.prefix}/pets/${pet.id}`)
    assert.deepEqual(petOf((await http.send({ target: response.header("location") ?? "" })).json), pet)
  }),
  writes("4.2.7", "ignores unknown members and a given id", async ({ http }) => {
    const name = uniqueName()
    const body = `{"id":9223372036854775807,"name":${JSON.stringify(name)},"categoryId":3,"tags":[{"a":null}],"":0}`
    const { id } = await createFrom(http, body, { name, categoryId: 3n })
    assert.notEqual(id, 9_223_372_036_854_775_807n)
    await createFrom(http, `{"id":"not a number","name":"conformance","categoryId":3}`)
  }),
  writes("4.2.8", "uses the last of duplicate members", async ({ http }) => {
    const name = uniqueName()
    const last = JSON.stringify(name)
    const values = [
      `{"name":"first","categoryId":1,"name":${last},"categoryId":9007199254740993}`,
      `{"name":5,"name":${last},"categoryId":null,"categoryId":9007199254740993}`,
      `{"name":{"a":1},"categoryId":9007199254740995,"categoryId":[],"categoryId":9007199254740993,"\\u006eame":${last}}`,
      `{"x":{"categoryId":9007199254740995},"name":${last},"categoryId":9007199254740993,"x":{"categoryId":9007199254740995,"name":"y"}}`,
    ]
    await eachOf(values, (body) => createFrom(http, body, { name, categoryId: 9_007_199_254_740_993n }))
    expectError(await http.post(`{"name":"good","name":5,"categoryId":1}`), "invalid_body")
  }),
  writes("4.2.9", "does not read any member from __proto__ or similar names", async ({ http }) => {
    const name = uniqueName()
    for (const member of ["__proto__", "constructor", "toString", "prototype", "hasOwnProperty"]) {
      const body = `{"name":${JSON.stringify(name)},"categoryId":1,"${member}":{"status":"sold","name":"evil"}}`
      await createFrom(http, body, { name, categoryId: 1n })
    }
    expectError(await http.post(`{"__proto__":{"name":"evil","categoryId":1}}`), "invalid_body")
    expectError(await http.post(`{"name":"x","__proto__":{"categoryId":1}}`), "invalid_body")
    expectError(await http.post(`{"constructor":{"prototype":{"name":"evil","categoryId":1}}}`), "invalid_body")
    expectError(await http.post("{}"), "invalid_body")
  }),
  writes("4.2.10", "accepts member names with escape sequences", async ({ http }) => {
    const name = uniqueName()
    const body = `{"\\u006e\\u0061me":${JSON.stringify(name)},"categor\\u0079Id":5,"st\\u0061tus":"\\u0073old"}`
    await createFrom(http, body, { name, categoryId: 5n, status: "sold" })
  }),
  writes("4.2.53", "refuses a member in another spelling, and names the right one", async ({ http }) => {
    await refuses(http, "invalid_body", [`{"Name":"x","categoryId":1}`, `{"name":"x","category_id":1}`])
    const message = expectError(await http.post(`{"name":"x","categoryId":1,"Status":"sold"}`), "invalid_body")
    assert.match(message, /\bstatus\b.*Status/)
    const body = `{"name":"conformance","categoryId":1,"Name":"x","category_id":2}`
    await createFrom(http, body, { name: "conformance", categoryId: 1n })
  }),
  rejectsTypes("4.2.12", "rejects a body without a content type", [null, ""]),
  rejectsTypes("4.2.13", "rejects a different content type", wrongContentTypes),
  writes("4.2.51", "accepts the content type in any case, with parameters", async ({ http }) => {
    const charsets = ["", ";charset=utf-8", "; charset=utf-8", "; Charset=UTF-8", `; charset="utf-8"`, ` ; charset="UTF-8"`]
    const others = ["; charset=UTF8", `; charset="utf8"`, ";", " ; ;", "; profile=x", `; profile="a;b\\"c"; charset=utf-8;`]
    for (const type of ["application/json", "APPLICATION/JSON", "Application/Json"]) {
      for (const parameters of [...charsets, ...others]) {
        expectStatus(await http.post(valid(), { contentType: type + parameters }), 201)
      }
    }
  }),
  rejectsTypes("4.2.52", "rejects a different charset and a malformed parameter", [
    ...wrongCharsets,
    ...wrongMediaTypeParameters,
  ]),
  writes("4.2.16", "rejects a content coding", async ({ http }) => {
    expectError(await http.post(gzipSync(valid()), { headers: ["Content-Encoding: gzip"] }), "unsupported_content_type")
    expectError(await http.post(valid(), { headers: ["Content-Encoding: br"] }), "unsupported_content_type")
    expectError(await http.post(valid(), { headers: ["Content-Encoding: nonsense"] }), "unsupported_content_type")
  }),
  writes("4.2.17", "rejects an empty body", async ({ http }) => {
    await refuses(http, "invalid_json", ["", "  \r\n\t "])
    expectError(await http.send({ method: "POST", contentType: "application/json" }), "invalid_json")
    expectError(await http.send({ method: "POST", chunks: [] }), "invalid_json")
  }),
  writes("4.2.18", "rejects a body that is not JSON", ({ http }) => refuses(http, "invalid_json", notJson)),
  writes("4.2.19", "rejects a body that is not UTF-8", ({ http }) => {
    const around = (bytes: ReadonlyArray<number>): Uint8Array =>
      Buffer.concat([Buffer.from(`{"categoryId":1,"name":"a`), Buffer.from(bytes), Buffer.from(`"}`)])
    return refuses(http, "invalid_json", [
      ...[[0xff], [0xc3], [0xc0, 0xaf], [0xe0, 0x80, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80], [0xe4]].map(
        around,
      ),
      Buffer.from(valid(), "utf16le"),
      Buffer.concat([Buffer.from(`{"name":"x","categoryId":1,"`), Buffer.from([0xff]), Buffer.from(`":1}`)]),
    ])
  }),
  writes("4.2.20", "rejects a byte order mark", ({ http }) => refuses(http, "invalid_json", [`\ufeff${valid()}`, "\ufeff"])),
  writes("4.2.21", "rejects JSON that is not an object", ({ http }) =>
    refuses(http, "invalid_body", ["[]", `[${valid()}]`, `"text"`, `""`, "1", "1e400", "0", "true", "false", "null", " null "]),
  ),
  writes("4.2.22", "rejects an object with a wrong or missing member as invalid_body", ({ http }) =>
    refuses(http, "invalid_body", [
      "{}",
      `{"name":"x"}`,
      `{"categoryId":1}`,
      `{"name":null,"categoryId":1}`,
      `{"name":"x","categoryId":1,"status":0}`,
    ]),
  ),
  writes("4.2.23", "names the wrong member", async ({ http }) => {
    assert.match(expectError(await http.post(`{"categoryId":1}`), "invalid_body"), /\bname\b/)
    assert.match(expectError(await http.post(`{"name":"  ","categoryId":1}`), "invalid_body"), /\bname\b/)
    assert.match(expectError(await http.post(`{"name":"x"}`), "invalid_body"), /\bcategoryId\b/)
    assert.match(expectError(await http.post(`{"name":"x","categoryId":1.5}`), "invalid_body"), /\bcategoryId\b/)
    assert.match(expectError(await http.post(`{"name":"x","categoryId":1,"status":"lost"}`), "invalid_body"), /\bstatus\b/)
  }),
  writes("4.2.24", "allows white space around the value", ({ http }) => createFrom(http, ` \t\r\n${valid()}\r\n\t `)),
  writes("4.2.25", "responds to a deeply nested body without crashing", async ({ http }) => {
    const member = (value: string): string => `{"name":"conformance","categoryId":1,"deep":${value}}`
    const cases = [
      ["opening brackets", "[".repeat(60_000)],
      ["100,000 opening brackets, over the limit", "[".repeat(100_000)],
      ["arrays in arrays", nested("[", "]", 30_000)],
      ["objects in objects", `${`{"a":`.repeat(10_000)}1${"}".repeat(10_000)}`],
      ["arrays in an ignored member", member(nested("[", "]", 30_000))],
      ["objects in an ignored member", member(`${`{"a":`.repeat(8_000)}1${"}".repeat(8_000)}`)],
      ["a name made of arrays", `{"categoryId":1,"name":${nested("[", "]", 30_000)}}`],
    ] as const
    await each(cases, async (body) => {
      const response = await http.post(body)
      assert.ok([201, 400, 413].includes(response.status), `expected 201, 400 or 413, got ${response.status}`)
      if (response.status !== 201) expectError(response, "invalid_json", "invalid_body", "body_too_large")
      else assert.match(body, /"deep"/, "the service accepted deep nesting outside an ignored member")
    })
  }),
  writes("4.2.43", "accepts a body of 65536 bytes", async ({ http }) => {
    await createFrom(http, padded(bodyLimitBytes))
    expectStatus(await http.send({ method: "POST", chunks: chunksOf(padded(bodyLimitBytes), 9999) }), 201)
  }),
  writes("4.2.44", "rejects a larger body with 413, with a declared length or in chunks", async ({ http }) => {
    const cases: Cases<Request> = [
      ["one byte over", { body: padded(bodyLimitBytes + 1) }],
      ["one byte over, chunked", { chunks: chunksOf(padded(bodyLimitBytes + 1), 9999) }],
      ["200 kB that are not JSON", { body: "x".repeat(200_000) }],
      ["a megabyte in small chunks", { chunks: chunksOf(padded(1_000_000), 1000) }],
    ]
    await each(cases, async (request) => expectError(await http.send({ method: "POST", ...request }), "body_too_large"))
  }),
  writes("8.7", "closes the connection after refusing a request whose chunked body has not fully arrived", async ({ http }) => {
    using connection = await http.open()
    const head = { method: "POST", path: "/pets", headers: ["Transfer-Encoding: chunked"], authorization: ["Bearer unknown"] }
    expectError(await http.exchange(connection, { ...head, raw: "1\r\n{\r\n" }), "invalid_credential")
    assert.ok(await connection.closes(), "the connection stayed open, or more bytes arrived")
  }),
  writes("4.2.45", "either keeps the connection usable or closes it after a 413", async ({ http }) => {
    const cases: Cases<Request> = [
      ["declared", { body: padded(1_000_000) }],
      ["chunked", { chunks: chunksOf(padded(1_000_000), 50_000) }],
    ]
    await each(cases, async (request) => {
      using connection = await http.open()
      const response = await http.exchange(connection, { method: "POST", keepAlive: true, ...request })
      expectError(response, "body_too_large")
      if (response.isLast) assert.ok(await connection.closes(), "the connection did not close as announced")
      else expectStatus(await http.exchange(connection, { path: "/pets?limit=1" }), 200)
    })
  }),
  writes("4.2.46", "reads a chunked body", async ({ http }) => {
    const name = `${uniqueName()} 🐕`
    const bytes = Buffer.from(newPetJson({ name, categoryId: 2n }))
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte))
    createdPet(await http.send({ method: "POST", chunks }), { name, categoryId: 2n })
  }),
  writes("4.2.47", "does not create a pet from a truncated body", async ({ http }) => {
    const name = uniqueName()
    const body = newPetJson({ name, categoryId: 1n, status: "pending" })
    const whole: ReadonlyArray<Uint8Array> = [
      http.encode({ method: "POST", body, declaredLength: body.length + 50 }),
      http.encode({ method: "POST", chunks: [body] }).subarray(0, -5),
    ]
    for (const bytes of whole) {
      using connection = await http.open()
      connection.write(bytes)
      connection.finish()
      const response = await connection.read().catch(() => undefined)
      if (response !== undefined) expectError(response, "malformed_request", "request_timeout", "invalid_json")
    }
    assert.ok(!(await walk(http, "?limit=100&status=pending")).some((pet) => pet.name === name))
  }),
  writes("4.2.48", "does not create a pet when it refuses a request", async ({ http }) => {
    const name = uniqueName()
    const body = newPetJson({ name, categoryId: 1n, status: "pending" })
    const requests: ReadonlyArray<Request> = [
      { body: body.replace(`"categoryId":1`, `"categoryId":1.5`) },
      { body: `${body},` },
      { body, contentType: "text/plain" },
      { body: body.replace(`{`, `{"padding":"${"a".repeat(bodyLimitBytes)}",`) },
      { body, authorization: [] },
      { body, authorization: [`Bearer ${http.key}x`] },
      { body, path: "/pets/" },
      { body, method: "PUT" },
    ]
    for (const request of requests) assert.ok((await http.send({ method: "POST", ...request })).status >= 400)
    assert.ok(!(await walk(http, "?limit=100&status=pending")).some((pet) => pet.name === name))
  }),
  writes("4.2.49", "creates one pet for each of several concurrent requests", async ({ http }) => {
    const creates = Array.from({ length: 100 }, (_, index) => create(http, { categoryId: BigInt(index), status: "pending" }))
    const pets = await Promise.all(creates)
    assert.equal(new Set(pets.map(({ id }) => id)).size, 100)
    const listed = new Map((await walk(http, "?limit=100&status=pending")).map((pet) => [pet.id, pet]))
    for (const pet of pets) assert.deepEqual(listed.get(pet.id), pet)
  }),
]
