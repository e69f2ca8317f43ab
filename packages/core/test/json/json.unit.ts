import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { NonInt64Number } from "../../src/json/exact-json.js"
import { maxInt64, minInt64 } from "../../src/json/int64.js"
import { InvalidJson } from "../../src/json/invalid-input.js"
import { decodeJson, showJson } from "../../src/json/json.js"

const decoded = (text: string): unknown => Either.getOrThrow(decodeJson(text))

const reason = (text: string): string | undefined =>
  Either.match(decodeJson(text), { onLeft: (failure) => failure.reason, onRight: () => undefined })

/** Decodes a JSON number: a 64-bit integer, or the source text of any other number. */
const numberOf = (text: string): bigint | string => {
  const value = decoded(text)
  if (value instanceof NonInt64Number) return value.source
  if (typeof value === "bigint") return value
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value)
  throw new Error(`not exact: ${String(value)}`)
}

const integers: ReadonlyArray<readonly [string, bigint]> = [
  ["0", 0n],
  ["-0", 0n],
  ["0.0", 0n],
  ["-0.0e5", 0n],
  ["0e999999999999", 0n],
  ["0e-999999999999", 0n],
  ["0.000e400", 0n],
  ["1", 1n],
  ["-1", -1n],
  ["1.0", 1n],
  ["1.000000000000000000000000000000", 1n],
  ["1e2", 100n],
  ["1E2", 100n],
  ["1e+2", 100n],
  ["1e0", 1n],
  ["1e-0", 1n],
  ["1e00000000000000000000002", 100n],
  ["100e-2", 1n],
  ["1.5e1", 15n],
  ["-1.5e1", -15n],
  ["0.1e1", 1n],
  ["0.000000000000000000001e21", 1n],
  ["1000000000000000000000e-21", 1n],
  ["9007199254740991", 9007199254740991n],
  ["9007199254740992", 9007199254740992n],
  ["9007199254740993", 9007199254740993n],
  ["9007199254740993.0", 9007199254740993n],
  ["9.007199254740993e15", 9007199254740993n],
  ["-9007199254740993", -9007199254740993n],
  ["9223372036854775807", maxInt64],
  ["9223372036854775807.000", maxInt64],
  ["9.223372036854775807e18", maxInt64],
  ["92233720368547758070e-1", maxInt64],
  ["-9223372036854775808", minInt64],
  ["-9.223372036854775808E+18", minInt64],
]

const others = [
  "1.5",
  "-1.5",
  "1e-1",
  "0.1",
  "1.0000000000000000001",
  "9007199254740992.5",
  "9223372036854775808",
  "-9223372036854775809",
  "9.223372036854775808e18",
  "1e19",
  "10000000000000000000",
  "1e400",
  "-1e400",
  "1e-400",
  "1E400",
  "1E-400",
  "1E19",
  "1e999999999",
  "1e-999999999",
  "1e99999999999999999999999999",
  "1e-99999999999999999999999999",
]

describe("decodeJson", () => {
  describe("for a 64-bit integer", () => {
    it.each(integers)("reads %s exactly", (text, value) => {
      expect(numberOf(text)).toBe(value)
    })

    it.each(integers)("reads %s exactly if the text also contains an integer past 2^53", (text, value) => {
      const [number] = decoded(`[${text},1234567890123456789]`) as ReadonlyArray<number | bigint>
      expect(BigInt(number ?? "none")).toBe(value)
    })

    it("returns a number below 2^53, and a bigint from 2^53 on", () => {
      expect(decoded("9007199254740991")).toBe(9007199254740991)
      expect(decoded("9007199254740992")).toBe(9007199254740992n)
      expect(decoded("-9007199254740992")).toBe(-9007199254740992n)
    })

    it("reads every integer in every notation exactly", () => {
      const spelling = fc
        .record({
          value: fc.bigInt({ min: minInt64, max: maxInt64 }),
          shift: fc.integer({ min: -25, max: 25 }),
          zeros: fc.integer({ min: 0, max: 5 }),
          mark: fc.constantFrom("e", "E"),
          plus: fc.boolean(),
        })
        .map(({ value, shift, zeros, mark, plus }) => {
          const sign = value < 0n ? "-" : ""
          const digits = (value < 0n ? -value : value).toString()
          // Moving the decimal point left by `shift` places and adding e+shift does not change the value.
          const padded = shift < 0 ? (value === 0n ? digits : digits + "0".repeat(-shift)) : digits.padStart(shift + 1, "0")
          const whole = shift > 0 ? padded.slice(0, -shift) : padded
          const fraction = (shift > 0 ? padded.slice(-shift) : "") + "0".repeat(zeros)
          const exponent = shift === 0 ? "" : `${mark}${plus && shift > 0 ? "+" : ""}${shift}`
          return { value, text: sign + whole + (fraction === "" ? "" : `.${fraction}`) + exponent }
        })
      fc.assert(
        fc.property(spelling, ({ value, text }) => numberOf(text) === value),
        { numRuns: 2000 },
      )
    })

    it("reads every integer of 1 to 40 digits exactly, or keeps its source text", () => {
      fc.assert(
        fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (value) => {
          const fits = value >= minInt64 && value <= maxInt64
          return numberOf(String(value)) === (fits ? value : String(value))
        }),
        { numRuns: 1000 },
      )
    })
  })

  describe("for any other number", () => {
    it.each(others)("keeps the source text %s", (text) => {
      expect(numberOf(text)).toBe(text)
    })

    it.each([
      "1e999999999",
      "1e-999999999",
      "0e999999999",
      `1e${"9".repeat(50_000)}`,
      `0.${"0".repeat(50_000)}1e50001`,
      "9".repeat(50_000),
    ])("takes time bounded by the length of the text: case %#", (text) => {
      // 10 ** 999999999 would need hundreds of megabytes and minutes. Many fast reads show that it is never computed.
      for (let time = 0; time < 100; time += 1) decodeJson(text)
      expect(Either.isRight(decodeJson(text))).toBe(true)
    })
  })

  it("does not change strings that look like numbers", () => {
    const value = { "1e400": "1.5", b: ["12345678901234567890", "1e5"], c: "-0" }
    expect(decoded(JSON.stringify(value))).toStrictEqual(value)
  })

  it("reads values like JSON.parse if all their numbers are small integers", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value, (_key, inner: unknown) =>
          typeof inner === "number" ? Math.trunc(inner % 1000) + 0 : inner,
        )
        expect(decoded(text)).toStrictEqual(JSON.parse(text))
      }),
    )
  })

  it("uses the last value of duplicate keys", () => {
    expect(decoded('{"a": 1, "a": 2}')).toStrictEqual({ a: 2 })
    expect(decoded('{"a": 1, "a": 9007199254740993}')).toStrictEqual({ a: 9007199254740993n })
    expect(decoded('{"a": 9007199254740993, "a": 2}')).toStrictEqual({ a: 2 })
    expect(decoded('{"a": [1.0, {"b": 2.0}], "a": 9007199254740993}')).toStrictEqual({ a: 9007199254740993n })
    expect(decoded('{"a": 9007199254740993, "a": [1.0, {"b": 2.0}]}')).toStrictEqual({ a: [1, { b: 2 }] })
  })

  it.each(['{"__proto__": {"status": "sold"}, "a": 1}', '{"__proto__": {"status": "sold"}, "a": 1.0}'])(
    "treats __proto__ like any other name: %s",
    (text) => {
      const value = decoded(text)
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(Object.keys(value as object)).toStrictEqual(["__proto__", "a"])
      expect(({} as { readonly status?: unknown }).status).toBeUndefined()
    },
  )

  it("never throws, for any text", () => {
    const pieces = fc.array(
      fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "a", "1", "0", ".", "e", "-", "+", "\\u", "null", " ", "\uD800"),
      {
        maxLength: 30,
      },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.fullUnicodeString(),
          fc.string16bits(),
          pieces.map((parts) => parts.join("")),
        ),
        (text) => {
          const result = decodeJson(text)
          return Either.isRight(result) || result.left instanceof InvalidJson
        },
      ),
      { numRuns: 2000 },
    )
  })

  it.each([
    ["", "it is empty"],
    ["\uFEFF{}", "it starts with a byte order mark"],
    ["   ", "it is not one complete JSON text, at line 1, column 4"],
    ['{"name":', "it is not one complete JSON text, at line 1, column 9"],
    ["{} {}", "it is not one complete JSON text, at line 1, column 4"],
    ["{'a': 1}", "it is not one complete JSON text, at line 1, column 2"],
    ["NaN", "it is not one complete JSON text, at line 1, column 1"],
    ["01", "it is not one complete JSON text, at line 1, column 1"],
    ["+1", "it is not one complete JSON text, at line 1, column 1"],
    [".5", "it is not one complete JSON text, at line 1, column 1"],
    ["1.", "it is not one complete JSON text, at line 1, column 1"],
    ["[1,]", "it is not one complete JSON text, at line 1, column 4"],
    ['{\n  "name": "Bello"\n  "categoryId": 1\n}', "it is not one complete JSON text, at line 3, column 3"],
    ['{"name": "Bel\nlo"}', "it is not one complete JSON text, at line 1, column 10"],
    ['{"a": [1, {"b": tru}]}', "it is not one complete JSON text, at line 1, column 17"],
    ['[{"a": 1]]', "it is not one complete JSON text, at line 1, column 9"],
  ])("refuses %j and reports why", (text, why) => {
    expect(reason(text)).toBe(why)
  })

  it.each(["[", '{"a":'])("returns a result for deep nesting of %s, whatever number is inside", (open) => {
    const close = open === "[" ? "]" : "}"
    const deep = (inner: string) => open.repeat(9000) + inner + close.repeat(9000)
    for (const text of [open.repeat(65_536 / open.length), deep("1"), deep("1.0")]) {
      const result = decodeJson(text)
      expect(Either.isRight(result) || result.left instanceof InvalidJson).toBe(true)
    }
  })
})

describe("showJson", () => {
  const shown: ReadonlyArray<readonly [unknown, string]> = [
    [undefined, "nothing"],
    [null, "null"],
    [true, "true"],
    [7, "7"],
    [9007199254740993n, "9007199254740993"],
    [new NonInt64Number("1e400"), "1e400"],
    [new NonInt64Number("9".repeat(100)), `${"9".repeat(60)}…`],
    ["sold", '"sold"'],
    ['a"b\n\u0000', '"a\\"b\\n\\u0000"'],
    ["\uD800", '"\\ud800"'],
    ["a".repeat(60), `"${"a".repeat(60)}"`],
    ["a".repeat(61), `"${"a".repeat(60)}…"`],
    ["🐕".repeat(60), `"${"🐕".repeat(60)}"`],
    ["🐕".repeat(61), `"${"🐕".repeat(60)}…"`],
    [{ secret: 1 }, "an object"],
    [[1], "an array"],
  ]
  for (const [value, text] of shown) {
    it(`shows a value as: ${text}`, () => {
      expect(showJson(value)).toBe(text)
    })
  }
})
