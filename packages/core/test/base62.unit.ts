import { describe, expect, it } from "vitest"
import { base62, randomBase62 } from "../src/base62.js"

describe("base62", () => {
  it.each([
    [0, 6, "000000"],
    [9, 1, "9"],
    [10, 1, "A"],
    [35, 1, "Z"],
    [36, 1, "a"],
    [61, 2, "0z"],
    [62, 2, "10"],
    [0xffffffff, 6, "4gfFC3"],
  ])("writes %i in %i characters", (value, length, text) => {
    expect(base62(value, length)).toBe(text)
  })
})

describe("randomBase62", () => {
  const source = (bytes: ReadonlyArray<number>) => {
    let taken = 0
    return (size: number) => Uint8Array.from({ length: size }, () => bytes[taken++ % bytes.length] ?? 0)
  }

  it("uses one byte for each character if every byte is below 248", () => {
    expect(randomBase62(8, source([0, 61, 62, 123, 124, 185, 186, 247]))).toBe("0z0z0z0z")
  })

  it("skips bytes that would favour some characters", () => {
    expect(randomBase62(4, source([248, 255, 1, 250, 2, 3, 249, 4]))).toBe("1234")
  })

  it("chooses every character with the same probability", () => {
    const all = randomBase62(248 * 62, source(Array.from({ length: 256 }, (_, byte) => byte)))
    const counts = new Map<string, number>()
    for (const character of all) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect([...counts.values()]).toStrictEqual(Array.from({ length: 62 }, () => 248))
  })
})
