/** Checks the responses to the conformance suite and to every reproducible failure against the contract, in both directions. */
import { readFileSync } from "node:fs"
import { observeSuite } from "@petstore/conformance/suite"
import { type OperationName, operations as served, words } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { checksumOf } from "@petstore/core/internal"
import { environmentIn } from "@petstore/harness/command"
import { Http, type RecordedExchange, type Request } from "@petstore/harness/http"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { openApiDocument } from "../../src/openapi/document.js"
import { unknownServers } from "../../src/openapi/servers.js"
import { ContractChecker, type Observed } from "../contract-checker.js"
import { startFailingService } from "../failing-service.js"

const document = openApiDocument(served, unknownServers)
const newChecker = () =>
  new ContractChecker(document, JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")))

type Answered = Required<RecordedExchange>

/** An exchange for the checker. Empty if the request has no valid request line. */
const observedOf = ({ request, response }: Answered): ReadonlyArray<Observed> => {
  const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/.exec(request.toString("latin1")) ?? []
  if (method === undefined || target === undefined) return []
  return [{ method, target, status: response.status, headers: response.headers, text: response.text }]
}

const ifNoneMatch = ["If-None-Match: *"]
const traceparent = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

const bodyTooLarge = "x".repeat(65_537)

/** A request to every operation, with the body of its example. */
const operations = Object.entries(served).map(([name, { method, path }]) => {
  // Safe: the keys are the names of operations.
  const [example] = Object.values(words[name as OperationName].bodies ?? {})
  const request = { method, path: path.replace(/\{\w+\}/, "3") }
  return example === undefined ? request : { ...request, body: stringifyExactJson(example.value) }
})

/** Every operation, in an order that succeeds on a new store: order 1 is returned, order 2 cancelled, and the pet of order 3 changed. */
const successes = [
  { method: "POST", path: "/pets", body: '{"name":"Bello","categoryId":1,"status":"available"}' },
  { method: "POST", path: "/pets", body: '{"name":"Mia","categoryId":1,"status":"available"}' },
  { path: "/pets?limit=1" },
  { path: "/pets/1" },
  { method: "POST", path: "/store/orders", body: '{"petId":1}' },
  { method: "POST", path: "/store/orders", body: '{"petId":2}' },
  { path: "/store/orders?limit=1" },
  { path: "/store/orders/1" },
  { method: "POST", path: "/store/orders/1/complete" },
  { method: "POST", path: "/store/orders/2/cancel" },
  { method: "PATCH", path: "/store/orders/1", body: '{"note":"a"}' },
  { method: "POST", path: "/store/orders/1/return" },
  { method: "POST", path: "/store/orders", body: '{"petId":1}' },
  { method: "POST", path: "/store/orders/3/complete" },
  { method: "PATCH", path: "/pets/1", body: '{"status":"pending"}' },
  { path: "/me" },
  { path: "/store/inventory" },
  { method: "POST", path: "/pets", body: '{"name":"Rex","categoryId":1}' },
  { method: "PATCH", path: "/pets/3", body: "{}" },
  { method: "DELETE", path: "/pets/3" },
  { method: "POST", path: "/pets/3/restore" },
  { method: "PUT", path: "/categories/1", body: '{"name":"Dogs"}' },
  { method: "PUT", path: "/categories/1", body: '{"name":"Cats"}' },
  { method: "PUT", path: "/categories/2", body: '{"name":"Cats"}' },
  { path: "/categories?limit=1" },
  ...["/pets", "/pets/1", "/store/orders", "/store/orders/1", "/me", "/store/inventory", "/categories", "/categories/1"].map(
    (path) => ({
      path,
      headers: ifNoneMatch,
    }),
  ),
  { method: "DELETE", path: "/categories/1" },
]

/** The place of a cursor that another store gave. */
const elsewhere = "changes__elsewhere-1"

/** Requests that a healthy service refuses after the successes. */
const refusals = [
  { path: `/changes?cursor=${checksumOf(elsewhere)}${elsewhere}` },
  ...["/pets?limit=0", "/pets/9", "/store/orders?limit=0", "/store/orders/9"].map((path) => ({ path })),
  ...["9/complete", "9/cancel", "9/return", "2/complete", "1/cancel", "2/return", "3/return"].map((path) => ({
    method: "POST",
    path: `/store/orders/${path}`,
  })),
  { method: "POST", path: "/pets/9/restore" },
  ...["PATCH", "DELETE"].map((method) => ({ method, path: "/pets/2", body: "{}", headers: ['If-Match: "other"'] })),
  ...[{ body: '{"petId":9}' }, { body: '{"petId":1}' }].map((request) => ({ method: "POST", path: "/store/orders", ...request })),
  ...["/categories?limit=0", "/categories/9"].map((path) => ({ path })),
  ...[{ headers: ["If-Match: a"] }, { headers: ['If-Match: "a"'] }, { path: "/categories/9" }].map((request) => ({
    method: "DELETE",
    path: "/categories/2",
    ...request,
  })),
  ...[
    { headers: ["If-Match: a"] },
    { headers: ifNoneMatch, body: '{"name":"a"}' },
    { path: "/categories/x", body: '{"name":"a"}' },
    { body: "{}" },
    { body: "{" },
    { body: "{}", contentType: null },
  ].map((request) => ({ method: "PUT", path: "/categories/2", ...request })),
  ...["/pets", "/store/orders"].flatMap((path) =>
    [{ body: "{}", headers: ["Idempotency-Key: no key"] }, { body: "{}" }, { body: "{" }, { body: "{}", contentType: null }].map(
      (request) => ({ method: "POST", path, ...request }),
    ),
  ),
]

const requestsAMinute = 345

/** Sends the requests above, and provokes the responses that a healthy service does not send. */
const failures = async (): Promise<ReadonlyArray<Answered>> => {
  const exchanges: Array<Answered> = []
  const service = await startFailingService(requestsAMinute)
  const observe = ({ request, response }: RecordedExchange) => {
    if (response !== undefined) exchanges.push({ request, response })
  }
  try {
    const http = new Http(service.baseUrl, await service.makeKey(), observe)
    const reader = new Http(service.baseUrl, await service.makeKey(true), observe)
    const send = (request: Request, as = http) => as.sendOnce({ ...request, headers: [...(request.headers ?? []), traceparent] })
    const slow = operations.map(async ({ method, path }) => {
      const connection = await http.open()
      // An unfinished head, which the service refuses after its time limit.
      await http.exchange(connection, `${method} /v1${path} HTTP/1.1\r\nHost: slow\r\n`, method)
      connection.destroy()
    })
    for (const request of [...successes, ...refusals]) await send(request)
    const behindAll = (await send({ path: "/changes?limit=100" })).link("next") ?? ""
    await Promise.all(Array.from({ length: 11 }, () => send({ target: `${behindAll}&wait=1` })))
    for (const operation of operations) {
      await send({ ...operation, authorization: [] })
      await send({ ...operation, authorization: ["Bearer unknown"] })
      await send({ ...operation, host: [] })
      await send(operation, reader)
      if ("body" in operation) await send({ ...operation, body: bodyTooLarge })
      await send({ ...operation, headers: [`X-Large: ${"x".repeat(20_000)}`] })
      await send(operation)
    }
    for (const [path, body, other] of [
      ["/pets", '{"name":"Bello","categoryId":1}', '{"name":"Mia","categoryId":1}'],
      ["/store/orders", '{"petId":2}', '{"petId":1}'],
    ] as const) {
      const create = { method: "POST", path }
      await send({ ...create, body, headers: ["Idempotency-Key: once"] })
      await send({ ...create, body: other, headers: ["Idempotency-Key: once"] })
    }
    for (const health of ["catalogue unavailable", "catalogue broken", "full"] as const) {
      service.become(health)
      for (const operation of operations) await send(operation)
    }
    service.become("well")
    for (let count = 0; count < requestsAMinute; count += 1) await send({ path: "/pets?limit=1" })
    for (const operation of operations) await send(operation)
    await Promise.all(slow)
    return exchanges
  } finally {
    await service.stop()
  }
}

const conformance = async (): Promise<ReadonlyArray<Answered>> => {
  const origin = "https://pages.example"
  const { baseUrl, key } = await serve(environmentIn(temporaryFolder(), { LOG_LEVEL: "silent", CORS_ORIGINS: origin }))
  return observeSuite({ baseUrl, key, write: true, given: { origin } })
}

it("the contract documents every response, and every documented response occurs", async () => {
  const exchanges = (await Promise.all([conformance(), failures()])).flat()
  const observed = exchanges.flatMap(observedOf)
  expect(observed.length).toBeGreaterThan(500)
  const checker = newChecker()
  expect(observed.flatMap((each) => checker.take(each))).toEqual([])
  expect(checker.unreached()).toEqual([])
})

const requestId = ["X-Request-Id", "one"] as const
const json = ["Content-Type", "application/json"] as const
const read = [["ETag", '"a"'], ["Cache-Control", "private, no-cache"], requestId, json] as const
const listed = { method: "GET", target: "/v1/pets", status: 200, headers: read, text: "[]" }

it.each<readonly [fault: string, observed: Observed, problem: RegExp]>([
  ["a status", { ...listed, status: 202 }, /does not document this status/],
  ["a header", { ...listed, headers: [...read, ["X-Powered-By", "us"]] }, /the header x-powered-by is not documented/],
  ["a missing header", { ...listed, headers: read.slice(1) }, /the header ETag is missing/],
  ["the value of a header", { ...listed, headers: [...read, ["Link", "</>; rel=next"]] }, /the header Link is/],
  ["a member", { ...listed, text: '[{"id":1,"name":"x","categoryId":1,"age":3}]' }, /the body is not Pets/],
  ["a media type", { ...listed, headers: [...read.slice(0, 3), ["Content-Type", "text/plain"]] }, /the content type is text/],
  [
    "a code",
    { ...listed, status: 400, headers: [requestId, json], text: '{"code":"invalid_body","message":"x","status":400}' },
    /the code invalid_body is not documented/,
  ],
  ["a body", { ...listed, method: "HEAD" }, /a body where there should be none/],
  ["a malformed error", { ...listed, target: "/v1/nowhere", status: 404, headers: [json] }, /the body is not an Error/],
])("the checker reports a response that differs from the contract: %s", (_fault, observed, problem) => {
  expect(newChecker().take(observed)).toEqual([expect.stringMatching(problem)])
})

it("the checker reports documented responses that did not occur", () => {
  const checker = newChecker()
  checker.take(listed)
  expect(checker.unreached()).toContain("createPet 201")
  expect(checker.unreached()).not.toContain("listPets 200")
})
