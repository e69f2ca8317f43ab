import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { int64FromText, maxInt64, minInt64 } from "../src/json/int64.js"
import { decodeCursor, decodeLimit, encodeCursor } from "../src/page.js"

/** Characters that a test inserts or substitutes: the base64url alphabet, and characters outside it. */
const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=% é"

const problem = <A>(result: Either.Either<A, { readonly expected: string; readonly received: string }>) =>
  Either.match(result, { onLeft: ({ expected, received }) => `${expected}, got ${received}`, onRight: () => undefined })

describe("a cursor", () => {
  it("can represent every position", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: minInt64, max: maxInt64 }),
        fc.constantFrom("", "available", "pending", "sold"),
        (after, filter) => {
          const position = { list: "pets", filter, after }
          expect(decodeCursor(int64FromText, encodeCursor(position), "pets", filter)).toStrictEqual(Either.right(after))
        },
      ),
    )
  })

  it("needs no escaping in a URL", () => {
    for (const after of [0n, minInt64, maxInt64]) {
      expect(encodeCursor({ list: "pets", filter: "available", after })).toMatch(/^[A-Za-z0-9_-]+$/)
    }
  })

  it.each([
    { filter: "", after: 20n },
    { filter: "sold", after: maxInt64 },
    { filter: "available", after: 1n },
    { filter: "pending", after: minInt64 },
  ])(
    'with the filter "$filter" and the position $after is refused if one character is changed, added or removed',
    ({ filter, after }) => {
      const cursor = encodeCursor({ list: "pets", filter, after })
      const refused = (changed: string) =>
        expect(problem(decodeCursor(int64FromText, changed, "pets", filter)), changed).toMatch(
          /^expected a cursor from an earlier page, got "/,
        )
      for (let place = 0; place <= cursor.length; place += 1) {
        for (const character of characters) {
          refused(cursor.slice(0, place) + character + cursor.slice(place))
          if (character !== cursor[place] && place < cursor.length)
            refused(cursor.slice(0, place) + character + cursor.slice(place + 1))
        }
        if (place < cursor.length) refused(cursor.slice(0, place) + cursor.slice(place + 1))
      }
    },
  )

  it.each([
    ["pets", "sold"],
    ["pets", ""],
    ["orders", "available"],
  ])("made for available pets is refused for the list %s with the filter %j", (list, filter) => {
    const cursor = encodeCursor({ list: "pets", filter: "available", after: 20n })
    expect(problem(decodeCursor(int64FromText, cursor, list, filter))).toMatch(
      /^expected the list and the filter that the cursor was made for, got "/,
    )
  })

  it.each(["", " ", "x", "1", "null", "%", "é", "\0", "MTIz", "====", "A".repeat(100)])(
    "is refused if no page returned it: %j",
    (text) => {
      expect(problem(decodeCursor(int64FromText, text, "pets", ""))).toMatch(/^expected a cursor from an earlier page, got "/)
    },
  )

  it("is refused without an exception if it is arbitrary text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.fullUnicodeString(), fc.string16bits(), fc.base64String()), (text) =>
        Either.isLeft(decodeCursor(int64FromText, text, "pets", "")),
      ),
    )
  })
})

describe("decodeLimit", () => {
  it.each([
    [[], 20],
    [["1"], 1],
    [["20"], 20],
    [["100"], 100],
    [["007"], 7],
  ])("reads %j as %i", (values, limit) => {
    expect(decodeLimit(values)).toStrictEqual(Either.right(limit))
  })

  it.each([
    [["0"], '"0"'],
    [["101"], '"101"'],
    [[""], '""'],
    [["-1"], '"-1"'],
    [["+1"], '"+1"'],
    [[" 1"], '" 1"'],
    [["1 "], '"1 "'],
    [["1\n"], '"1\\n"'],
    [["1.0"], '"1.0"'],
    [["1e1"], '"1e1"'],
    [["0x10"], '"0x10"'],
    [["ten"], '"ten"'],
    [["١"], '"١"'],
    [["NaN"], '"NaN"'],
    [["9".repeat(99)], `"${"9".repeat(60)}…"`],
    [["1", "1"], "2 values"],
    [["", "", ""], "3 values"],
  ])("refuses %j and reports what it received", (values, received) => {
    expect(problem(decodeLimit(values))).toBe(`expected one whole number from 1 to 100, in digits, got ${received}`)
  })
})
