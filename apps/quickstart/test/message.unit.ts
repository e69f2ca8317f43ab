import { InvalidBody } from "@petstore/core"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { decodeNewMessage } from "../src/message.js"

const expected = "expected a string of 1 to 16384 code points, not blank, without U+0000 and lone surrogates"

describe("decodeNewMessage", () => {
  it("takes a message exactly as given and nothing else of the body", () => {
    expect(decodeNewMessage({ message: " Hello\n", id: "x" })).toStrictEqual(Either.right({ message: " Hello\n" }))
  })

  it.each([
    [{}, { field: "message", expected: "is required", received: "nothing" }],
    [{ message: "" }, { field: "message", expected, received: '""' }],
    [{ message: null }, { field: "message", expected, received: "null" }],
    [{ message: 7 }, { field: "message", expected, received: "7" }],
    [{ message: "a".repeat(16_385) }, { field: "message", expected, received: `"${"a".repeat(60)}…"` }],
    [[], { field: "body", expected: "expected a JSON object", received: "an array" }],
    [null, { field: "body", expected: "expected a JSON object", received: "null" }],
  ])("refuses case %# and says what is wrong", (json, problem) => {
    expect(decodeNewMessage(json)).toStrictEqual(Either.left(new InvalidBody({ problems: [problem] })))
  })
})
