/** Request targets and their query parameters. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { decodeTarget, parametersOf } from "../../../src/http/request/target.js"

describe("a request target", () => {
  it.each([
    ["/v1/pets", "/v1/pets", ""],
    ["/v1/pets?limit=3", "/v1/pets", "limit=3"],
    ["/v1/pets??limit=0", "/v1/pets", "?limit=0"],
    ["/v1/pets#x?limit=0", "/v1/pets", ""],
    ["//a/v1/pets", "//a/v1/pets", ""],
    ["/%ff", "/%ff", ""],
    ["*", "*", ""],
    ["http://a/v1/pets?limit=3", "/v1/pets", "limit=3"],
    ["HTTPS://a.example:8443/v1/pets", "/v1/pets", ""],
    ["http://a;b/v1/pets", "/v1/pets", ""],
    ["http://%ff/healthz", "/healthz", ""],
    ["http://[::1]:3000/", "/", ""],
    ["http://a", "/", ""],
    ["http://a?x=/y", "/", "x=/y"],
    ["http://a//v1/pets", "//v1/pets", ""],
  ])("%j has the path %j and the query %j", (target, path, query) => {
    expect(decodeTarget(target)).toEqual({ path, query })
  })

  it.each([
    "",
    "v1/pets",
    "a:443",
    "**",
    "http:",
    "http:/v1/pets",
    "http:///v1/pets",
    "http://%ff@a/healthz",
    "http://me:secret@a/v1/pets",
    "http://a b/",
    "http://a\\b/",
    "http://[::1/",
    "http://a:b/",
    "ftp://a/v1/pets",
    "javascript:alert(1)",
  ])("%j is invalid", (target) => {
    expect(decodeTarget(target)).toBeUndefined()
  })
})

describe("query parameters", () => {
  it("are percent-decoded, and keep a question mark in a name", () => {
    const valuesOf = Either.getOrThrow(parametersOf("?limit=0&status=sol%64&a=1&a=2", ["limit", "status", "a"]))
    expect([valuesOf("limit"), valuesOf("?limit"), valuesOf("status"), valuesOf("a"), valuesOf("b")]).toEqual([
      [],
      ["0"],
      ["sold"],
      ["1", "2"],
      [],
    ])
  })

  it("are refused, with what was sent, if they cannot be decoded as UTF-8", () => {
    const refusal = (query: string) => Either.getOrThrow(Either.flip(parametersOf(query, ["name", "limit"]))).message
    expect(refusal("limit=%35&name=L%F6")).toBe('name: expected percent-encoded UTF-8, got "L%F6".')
    expect(refusal("n%61me=%zz")).toBe('name: expected percent-encoded UTF-8, got "%zz".')
    const valuesOf = Either.getOrThrow(parametersOf("other=%FF&limit=%35&name=%EF%BF%BD&name=a+b", ["name", "limit"]))
    expect([valuesOf("name"), valuesOf("limit")]).toEqual([["\ufffd", "a b"], ["5"]])
  })

  it.each([
    ["id[]=1&id[]=2", "id", "id[]"],
    ["Status=sold", "status", "Status"],
    ["limit=1&categoryid=5", "categoryId", "categoryid"],
    ["category_id=5", "categoryId", "category_id"],
    ["category-id%5B%5D=5", "categoryId", "category-id[]"],
  ])("are refused if a name is a known one in another spelling: %s", (query, name, sent) => {
    const known = ["id", "status", "limit", "categoryId"]
    const { message } = Either.getOrThrow(Either.flip(parametersOf(query, known)))
    expect(message).toBe(`${name}: expected the name in this spelling, got "${sent}".`)
    expect(Either.isRight(parametersOf(`${query}&${name}=7`, known))).toBe(true)
    expect(Either.isRight(parametersOf("page=2&offset=7&_=1", known))).toBe(true)
  })
})
