import { maxInt64 } from "@petstore/core"
import { expect, it } from "vitest"
import { decodePlace, encodePlace } from "../../src/postgres/change-places.js"

it("a place is decoded as it was encoded", () => {
  const position = new Map([
    [0, 1n],
    [15, 2n ** 40n + 127n],
    [300, maxInt64],
  ])
  expect(decodePlace(encodePlace(position, "tag1"))).toStrictEqual({ position, tag: "tag1" })
  expect(decodePlace(encodePlace(new Map(), "0"))).toStrictEqual({ position: new Map(), tag: "0" })
})

it("a text that is not a place, or has numbers that no store has, is refused", () => {
  const places = ["", "5", "tag", "tag-" + "A".repeat(2_002), encodePlace(new Map([[0, maxInt64 + 1n]]), "t")]
  for (const place of [...places, encodePlace(new Map([[2 ** 31, 1n]]), "t")]) expect(decodePlace(place)).toBe(undefined)
})
