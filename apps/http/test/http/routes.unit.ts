/** Compares the routes in the operations table with @koa/router and with the contract. */
import { operations as described, type OperationName } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { describe, expect, it } from "vitest"
import type { Operation, Parts } from "../../src/http/operation.js"
import { apiOperation, operations } from "../../src/http/operations.js"
import { findResourceIn, routerOf } from "../../src/http/routes.js"
import { type Descriptions, openApiDocument } from "../../src/openapi/document.js"

/** The table with dummy handlers. */
const rows = operations.map((row): Operation => ({ ...row, handler: () => () => {} }))
// Safe: the dummy handlers do not use these parts.
const parts = { pathPrefix: "" } as Parts
const findResource = findResourceIn(rows, parts)

const nameOf = (method: string, path: string): string => findResource(path).routes.get(method)?.id ?? "other"

describe("the operation's name", () => {
  it.each([
    ["GET", "/v1/pets", "listPets"],
    ["HEAD", "/v1/pets", "listPets"],
    ["POST", "/v1/pets", "createPet"],
    ["GET", "/v1/pets/7", "getPet"],
    ["GET", "/v1/pets/no-number", "getPet"],
    ["GET", "/v1/store/orders", "listOrders"],
    ["POST", "/v1/store/orders", "createOrder"],
    ["GET", "/v1/store/orders/7", "getOrder"],
    ["POST", "/v1/store/orders/7/complete", "completeOrder"],
    ["POST", "/v1/store/orders/7/cancel", "cancelOrder"],
    ["GET", "/readyz", "readyz"],
    ["GET", "/", "docs"],
  ])("for %s %s is %s", (method, path, name) => {
    expect(nameOf(method, path)).toBe(name)
  })

  it.each([
    ["DELETE", "/v1/pets"],
    ["POST", "/v1/pets/7"],
    ["GET", "/v1/pets/"],
    ["GET", "/v1/pets/7/"],
    ["GET", "/v1/pets/7/more"],
    ["GET", "/v1/{}"],
    ["GET", "/v1/Pets"],
    ["GET", "/v1/%70ets"],
    ["GET", "//v1/pets"],
    ["GET", "/v1/somewhere/else"],
    ["GET", "*"],
    ["GET", ""],
  ])('is "other" for %s %s, so clients cannot make the metrics grow', (method, path) => {
    expect(nameOf(method, path)).toBe("other")
  })
})

describe("the route lookup", () => {
  const router = routerOf(rows)
  const paths = rows.flatMap(({ path }) => {
    const filled = path.replace(/:\w+/, "7")
    return [filled, `${filled}/`, filled.toUpperCase(), path.replace(/:\w+/, "1%2F2"), path.replace(/:\w+/, "%E0%A4%A")]
  })

  it.each(paths)("returns the same result as @koa/router for %s", (path) => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "OPTIONS"]) {
      const layer = router.match(path, method).pathAndMethod.at(0)
      const row = layer === undefined ? undefined : rows[router.stack.indexOf(layer)]
      expect([path, method, findResource(path).routes.get(method)?.id]).toEqual([path, method, row?.id])
    }
  })

  it("decodes parameters, and keeps undecodable ones unchanged", () => {
    expect(["7", "1%2F2", "%E0%A4%A", "%31"].map((id) => findResource(`/v1/pets/${id}`).parameterIn(`/v1/pets/${id}`))).toEqual([
      "7",
      "1/2",
      "%E0%A4%A",
      "1",
    ])
  })

  it("names a path's methods", () => {
    expect(findResource("/v1/pets").allow).toBe("GET, HEAD, OPTIONS, POST")
    expect(findResource("/v1/pets/1").allow).toBe("DELETE, GET, HEAD, OPTIONS, PATCH")
    expect(findResource("/v1/store/orders/1/cancel").allow).toBe("OPTIONS, POST")
  })
})

describe("the operations table", () => {
  it("requires a credential under /v1 and nowhere else", () => {
    for (const { path, credential } of rows) expect([path, credential]).toEqual([path, path.startsWith("/v1/")])
    for (const path of ["/v1", "/v1/", "/v1/nothing"]) expect(findResource(path).credential).toBe(true)
    for (const path of ["/v1x", "/V1/pets", "/nothing"]) expect(findResource(path).credential).toBe(false)
  })

  it.each(Object.keys(described) as ReadonlyArray<OperationName>)("neither routes nor documents %s without its row", (id) => {
    const { method, path } = apiOperation(id)
    const resource = findResourceIn(
      rows.filter((row) => row.id !== id),
      parts,
    )(path.replace(/:\w+/, "7"))
    expect(resource.routes.get(method)).toBeUndefined()
    expect(resource.allow).not.toContain(method)
    const { [id]: _, ...fewer } = described
    const textOf = (all: Descriptions) => stringifyExactJson(openApiDocument(all, []).paths)
    // Only as an operation: a change names the operation that made it, too.
    expect(textOf(described)).toContain(`"operationId":"${id}"`)
    expect(textOf(fewer)).not.toContain(`"operationId":"${id}"`)
  })

  it("puts a row's deprecation into the response headers and the contract", () => {
    const deprecation = { deprecation: "@1", sunset: "Thu, 05 Dec 2030 00:00:00 GMT", replacedBy: "createPet" }
    const deprecated = { ...described.listOrders, deprecation }
    const row = apiOperation("listOrders", deprecated)
    const route = findResourceIn([{ ...row, handler: () => () => {} }], parts)(row.path).routes.get("GET")
    expect(route).toMatchObject({
      isDeprecated: true,
      headers: 'Deprecation: @1\r\nSunset: Thu, 05 Dec 2030 00:00:00 GMT\r\nLink: </v1/pets>; rel="successor-version"\r\n',
    })
    expect(openApiDocument({ listOrders: deprecated }, []).paths["/store/orders"]?.get).toMatchObject({
      deprecated: true,
      "x-sunset": "2030-12-05",
      responses: { 200: { headers: { Deprecation: expect.anything() } } },
    })
  })
})
