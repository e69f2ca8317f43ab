import { Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { decodeIdempotencyKey } from "../../src/contract/idempotency-key.js"

describe("decodeIdempotencyKey", () => {
  it("finds no key if the header is absent", () => {
    for (const absent of [undefined, null]) expect(decodeIdempotencyKey(absent)).toStrictEqual(Either.right(Option.none()))
  })

  it.each([
    ["a", "a"],
    ['"a"', "a"],
    ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    ["!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"],
    ["k".repeat(255), "k".repeat(255)],
    [`"${"k".repeat(255)}"`, "k".repeat(255)],
  ])("reads %s", (header, key) => {
    expect(decodeIdempotencyKey(header)).toStrictEqual(Either.right(Option.some(key)))
  })

  it.each([
    "",
    " ",
    '""',
    '"',
    '"a',
    'a"',
    'a"b',
    '"a"b"',
    "a b",
    '"a b"',
    "a\tb",
    "é",
    "\u0000",
    "\u007F",
    "k".repeat(256),
    `"${"k".repeat(256)}"`,
  ])("refuses %j", (header) => {
    const refused = decodeIdempotencyKey(header)
    expect(Either.isLeft(refused) && refused.left).toMatchObject({
      parameter: "Idempotency-Key",
      expected: "expected one key of 1 to 255 visible ASCII characters, quoted or bare",
    })
  })
})
