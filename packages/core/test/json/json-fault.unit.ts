import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { placeOfFault } from "../../src/json/json-fault.js"

/** The length of the text before the fault. */
const offsetOf = (text: string): number => {
  const { line, column } = placeOfFault(text)
  const lines = text.split("\n").slice(0, line - 1)
  return lines.reduce((sum, { length }) => sum + length + 1, 0) + column - 1
}

describe("the place of a fault in JSON", () => {
  it("is the end of the text if JSON allows every token in its place", () => {
    fc.assert(fc.property(fc.json(), (text) => offsetOf(text) === text.length))
  })

  it("is at or before an inserted character that JSON does not allow", () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: true }), fc.nat(), (text, at) => {
        const index = at % (text.length + 1)
        // In a string, a number or a literal, the fault may be at the start of the token.
        const broken = `${text.slice(0, index)}\u0001${text.slice(index)}`
        const offset = offsetOf(broken)
        return offset <= index && offset >= 0
      }),
    )
  })

  it("is found in a deeply nested text of 1 MB before the test times out", () => {
    const text = `${"[".repeat(500_000)}"${"\\n".repeat(250_000)}`
    expect(offsetOf(text)).toBe(500_000)
  })
})
