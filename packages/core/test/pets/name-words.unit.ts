import fc from "fast-check"
import { expect, it } from "vitest"
import { beginningsOf, hasWords, wordsOf } from "../../src/pets/name-words.js"
import { nameCases } from "../../src/testing/names.js"

it("finds and misses the names of many scripts", () => {
  for (const { name, finds, misses } of nameCases) {
    for (const text of finds) expect(hasWords(beginningsOf(text))(name), `${name} by ${text}`).toBe(true)
    for (const text of misses) expect(hasWords(beginningsOf(text))(name), `${name} not by ${text}`).toBe(false)
  }
  expect(nameCases.length).toBeGreaterThanOrEqual(40)
})

it("finds every text by itself, in every case", () => {
  fc.assert(
    fc.property(fc.fullUnicodeString(), (text) => {
      for (const same of [text, text.toUpperCase(), text.normalize("NFD")]) {
        expect(hasWords(beginningsOf(same))(text), JSON.stringify([same, text])).toBe(true)
      }
    }),
  )
})

it("cuts a word after 64 code points, not within one", () => {
  const long = "\u{20000}".repeat(65)
  expect(wordsOf(`${long} ${"a".repeat(65)}`)).toStrictEqual(["\u{20000}".repeat(64), "a".repeat(64)])
})

it("leaves out the beginnings that another one implies", () => {
  expect(beginningsOf("mr Mr m mrs be bell bello")).toStrictEqual(["bello", "mrs"])
})
