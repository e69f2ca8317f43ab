/** A second series with the same labels would make the metrics unreadable, and memory would grow with every request. */
import { expect, it } from "vitest"
import { getOrInsert } from "../../src/telemetry/get-or-insert.js"

it("getOrInsert creates a key's value once, and returns that value from then on", () => {
  const made = new Map<string, ReadonlyArray<string>>()
  const of = (key: string): ReadonlyArray<string> => getOrInsert(made, key, () => [key])
  const first = of("a")
  expect(of("b")).toStrictEqual(["b"])
  expect(of("a")).toBe(first)
  expect([...made]).toStrictEqual([
    ["a", ["a"]],
    ["b", ["b"]],
  ])
})
