/** A response head as one string. */
import { describe, expect, it } from "vitest"
import { headerLines, headersIn, headText } from "../src/head.js"

describe("a response head", () => {
  it("has its headers in the given order, the date, and the connection's idle timeout", () => {
    expect(headText(200, headerLines(["A", "1", "B", "2"]), 65_000).split("\r\n")).toEqual([
      "HTTP/1.1 200 OK",
      "A: 1",
      "B: 2",
      expect.stringMatching(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
      "Connection: keep-alive",
      "Keep-Alive: timeout=65",
      "",
      "",
    ])
  })

  it("has lines that can be read as headers again", () => {
    const headers = ["A", "1", "Link", '<https://a.example/?b: c>; rel="d"', "Empty", ""]
    expect(headersIn(headerLines(headers))).toEqual(headers)
    expect(headersIn("")).toEqual([])
  })

  it("announces that the connection closes if the idle timeout is 0", () => {
    expect(headText(400, "", 0)).toMatch(/\r\nConnection: close\r\n\r\n$/)
  })

  it("states the second in which it was created", () => {
    const named = Date.parse(/Date: (.*)\r/.exec(headText(200, "", 0))?.[1] ?? "")
    const ageMillis = Date.now() - named
    expect(ageMillis).toBeGreaterThanOrEqual(0)
    expect(ageMillis).toBeLessThan(2_000)
  })
})
