/** Every 64-bit integer is exact, and malformed numbers are refused. */
import { describe, expect, it } from "vitest"
import { NonInt64Number, parseExactJson, stringifyExactJson } from "../../src/json/exact-json.js"

const values: ReadonlyArray<readonly [string, unknown]> = [
  ["9007199254740993", 9007199254740993n],
  ["[-9223372036854775808, 9223372036854775807]", [-(2n ** 63n), 2n ** 63n - 1n]],
  ["9223372036854775808", new NonInt64Number("9223372036854775808")],
  ['{"a": 1.0, "b": 1e2, "c": 1.5, "d": -0.0}', { a: 1, b: 100, c: new NonInt64Number("1.5"), d: 0 }],
  ['{"2": 10000000000000001, "1": 10000000000000003, "2": 20000000000000001}', { 1: 10000000000000003n, 2: 20000000000000001n }],
  [
    '["9007199254740993", "a\\"9007199254740993", "\\\\", 9007199254740993]',
    ["9007199254740993", 'a"9007199254740993', "\\", 9007199254740993n],
  ],
  ['{"9007199254740993": [true, false, null, 9007199254740993]}', { "9007199254740993": [true, false, null, 9007199254740993n] }],
]

const refused = [
  "[10000000000000001, 01]",
  "--10000000000000001",
  "+10000000000000001",
  "[10000000000000001 2]",
  "10000000000000001-2",
  "1e",
  "1.e2",
  ".51e2",
  "1e5.3",
  "true1e5",
  '"open 10000000000000001',
  '["closed", "open 10000000000000001]',
  '"a\nline 10000000000000001"',
  `{"a": 10000000000000001,}`,
]

describe("parseExactJson", () => {
  it.each(values)("reads %s exactly", (text, value) => {
    expect(parseExactJson(text)).toStrictEqual(value)
  })

  it.each(refused)("refuses %s", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  })
})

describe("stringifyExactJson", () => {
  it("writes integers past 2^53 with all digits, and reads them back", () => {
    const value = { id: 9007199254740993n, least: [-9223372036854775808n], name: "9007199254740993", plain: 1 }
    const text = stringifyExactJson(value)
    expect(text).toBe('{"id":9007199254740993,"least":[-9223372036854775808],"name":"9007199254740993","plain":1}')
    expect(parseExactJson(text)).toEqual(value)
  })

  it("indents by the given number of spaces", () => {
    expect(stringifyExactJson({ id: 1n }, 2)).toBe('{\n  "id": 1\n}')
  })
})
