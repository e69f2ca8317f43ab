import { Schema } from "@effect/schema"
import { Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { NonInt64Number } from "../../src/json/exact-json.js"
import { Int64, int64FromText, maxInt64, minInt64 } from "../../src/json/int64.js"

describe("int64FromText", () => {
  it.each([0n, 1n, -1n, 10n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, maxInt64, minInt64])("reads %s", (value) => {
    expect(int64FromText(String(value))).toStrictEqual(Option.some(value))
  })

  it.each([
    "",
    " ",
    "-",
    "-0",
    "+1",
    "01",
    "-01",
    "00",
    "1.0",
    "1e2",
    "0x10",
    "0b1",
    "1_000",
    "1n",
    " 1",
    "1 ",
    "1\n",
    "\n1",
    "1/2",
    "٣",
    "１",
    "NaN",
    "Infinity",
    "9223372036854775808",
    "-9223372036854775809",
    "9".repeat(19),
    "9".repeat(20),
    "9".repeat(100),
  ])("refuses %j", (text) => {
    expect(int64FromText(text)).toStrictEqual(Option.none())
  })
})

describe("Int64", () => {
  const decode = Schema.decodeUnknownEither(Int64)

  it.each([
    [1, 1n],
    [-0, 0n],
    [9007199254740991, 9007199254740991n],
    [9007199254740993n, 9007199254740993n],
    [maxInt64, maxInt64],
    [minInt64, minInt64],
  ])("decodes %s to %s", (json, value) => {
    expect(decode(json)).toStrictEqual(Either.right(value))
  })

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null, undefined, true, [], {}, new NonInt64Number("1.5")])(
    "refuses %s",
    (json) => {
      expect(Either.isLeft(decode(json))).toBe(true)
    },
  )

  it("refuses the integers just past both limits", () => {
    expect([maxInt64 + 1n, minInt64 - 1n].map((value) => Either.isLeft(decode(value)))).toStrictEqual([true, true])
  })
})
