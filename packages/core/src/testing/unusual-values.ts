import { maxInt64, minInt64 } from "../json/int64.js"

/** 64-bit integers that a careless store might round, truncate or misread: both signs, past 2^31 and 2^53, and the limits. */
export const unusualInt64s: ReadonlyArray<bigint> = [
  0n,
  -1n,
  2n ** 31n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  maxInt64 - 1n,
  maxInt64,
  minInt64 + 1n,
  minInt64,
]

/** Well-formed texts that a careless store might change, each with a description of what is unusual about it. */
export const unusualTexts: Readonly<Record<string, string>> = {
  "of one letter": "A",
  "of 1024 emoji": "🐕".repeat(1024),
  "with white space at both ends": " \t\n Bello \u00A0\u3000\r\n",
  "with quotes, backslashes and SQL": `O'Neil "the" \`dog\` \\ \\x41 '); DROP TABLE pets; -- %s $1 ? :name @p`,
  "with wildcards": "100%_[a]*",
  "that looks like a number": "0010.0",
  "that looks like JSON": '{"name": null}',
  "that looks like bytes": "\\xDEADBEEF",
  "in composed form (NFC)": "Am\u00E9lie",
  "in decomposed form (NFD)": "Ame\u0301lie",
  "with U+FFFD": "a\uFFFDb",
  "with U+FEFF first": "\uFEFFBello",
  "with U+FFFF and U+FFFE": "a\uFFFFb\uFFFEc",
  "with U+2028 and U+2029": "a\u2028b\u2029c",
  "with control characters": "a\u0001\u0008\u001A\u001F\u007F\u0085b",
  "with the last code point": "\u{10FFFF}",
  "written from right to left": "كلب \u202Eabc\u202C",
  "of joined emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
}
