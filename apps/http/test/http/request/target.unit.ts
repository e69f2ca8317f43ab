/** Request targets and their query parameters. */
import { describe, expect, it } from "vitest"
import { decodeTarget, isTarget, parametersOf } from "../../../src/http/request/target.js"

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
    expect(isTarget(target)).toBe(true)
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
    expect(isTarget(target)).toBe(false)
  })
})

describe("query parameters", () => {
  it("are percent-decoded, and keep a question mark in a name", () => {
    const valuesOf = parametersOf("?limit=0&status=sol%64&a=1&a=2")
    expect([valuesOf("limit"), valuesOf("?limit"), valuesOf("status"), valuesOf("a"), valuesOf("b")]).toEqual([
      [],
      ["0"],
      ["sold"],
      ["1", "2"],
      [],
    ])
  })

  it("count as empty if they cannot be decoded as UTF-8", () => {
    const valuesOf = parametersOf("name=%FF&limit=%35&name=%EF%BF%BD&name=a+b")
    expect([valuesOf("name"), valuesOf("limit")]).toEqual([["", "\ufffd", "a b"], ["5"]])
  })
})
