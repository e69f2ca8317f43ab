import { Schema } from "@effect/schema"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { storableText } from "../../src/json/text.js"

const accepts = (text: string, maximum = 1024): boolean => {
  const decoded = Schema.decodeUnknownEither(storableText(maximum))(text)
  // Accepted text is unchanged: it is neither trimmed nor normalised.
  if (Either.isRight(decoded)) expect(decoded.right).toBe(text)
  return Either.isRight(decoded)
}

describe("storableText", () => {
  it.each(["a", "\u0001", "\uFFFD", "\uFFFF", "\u{10FFFF}", " a ", "e\u0301", "\u00E9", "\u200B", "🐕", "\u202E"])(
    "accepts %j",
    (text) => {
      expect(accepts(text)).toBe(true)
    },
  )

  it.each(["", " ", "\t\r\n", "\u00A0", "\u3000\u2003", "\uFEFF", "\u2028\u2029"])("refuses blank text %j", (text) => {
    expect(accepts(text)).toBe(false)
  })

  it.each(["\0", "a\0", "\0a", "a\0b"])("refuses U+0000 in %j", (text) => {
    expect(accepts(text)).toBe(false)
  })

  it.each(["\uD800", "a\uDBFF", "\uDC00a", "\uDC00\uD800", "🐕\uD83D"])("refuses a lone surrogate in %j", (text) => {
    expect(accepts(text)).toBe(false)
  })

  it("counts code points, not code units", () => {
    expect([1023, 1024, 1025].map((length) => accepts("a".repeat(length)))).toStrictEqual([true, true, false])
    expect([1023, 1024, 1025].map((length) => accepts("🐕".repeat(length)))).toStrictEqual([true, true, false])
    expect([1023, 1024].map((length) => accepts(`${"🐕".repeat(length)}a`))).toStrictEqual([true, false])
  })

  it("counts white space at both ends", () => {
    expect(accepts(`  ${"a".repeat(1020)}  `)).toBe(true)
    expect(accepts(`  ${"a".repeat(1021)}  `)).toBe(false)
  })

  it.each([1, "", null, true, [], {}, undefined])("refuses %j and reports what was expected", (value) => {
    const decoded = Schema.decodeUnknownEither(storableText(9))(value)
    expect(Either.isLeft(decoded) && decoded.left.message).toBe(
      "expected a string of 1 to 9 code points, not blank, without U+0000 and lone surrogates",
    )
  })
})
