import { maxInt64 } from "@petstore/core"
import { expect, it } from "vitest"
import { decodePlace, placeOf } from "../../src/postgres/change-places.js"

it("a place is decoded as it was encoded, and has another tag behind other changes", () => {
  const position = new Map([
    [0, 1n],
    [15, 2n ** 40n + 127n],
    [300, maxInt64],
  ])
  const [place, other] = ["tag1", "tag2"].map((tag) => placeOf(new Map([...position].map(([slot, id]) => [slot, { id, tag }]))))
  expect([place, other].map((text = "") => decodePlace(text))).toStrictEqual([position, position])
  expect(place).not.toBe(other)
  expect(decodePlace(placeOf(new Map()))).toStrictEqual(new Map())
})

it("a text that is not a place, or has numbers that no store has, is refused", () => {
  const places = ["", "12-tag", "tag-", "tag-1", "tag-g_1", "tag-0_8000000000000000", "tag-80000000_1"]
  for (const place of [...places, `tag${"-0_1".repeat(500)}`]) expect(decodePlace(place)).toBe(undefined)
})
