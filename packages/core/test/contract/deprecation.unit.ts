import { describe, expect, it } from "vitest"
import { getPetDeprecation } from "../../src/contract/deprecation.js"

describe("the deprecation of getPet", () => {
  it("dates from 5 December 2025 (RFC 9745 §2.1: seconds since 1970)", () => {
    expect(getPetDeprecation.deprecation).toBe(`@${Date.UTC(2025, 11, 5) / 1000}`)
  })

  it("sets the removal to 5 December 2030 (RFC 8594 §3: an HTTP date)", () => {
    expect(getPetDeprecation.sunset).toBe(new Date(Date.UTC(2030, 11, 5)).toUTCString())
  })
})
