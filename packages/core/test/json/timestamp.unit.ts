import fc from "fast-check"
import { expect, it } from "vitest"
import { timestampText } from "../../src/json/timestamp.js"

it("timestampText writes every timestamp as toISOString does", () => {
  const timestamp = fc.oneof(
    fc.date({ noInvalidDate: true }),
    fc.date({ min: new Date(0), max: new Date(172_800_000), noInvalidDate: true }),
  )
  fc.assert(
    fc.property(timestamp, (date) => timestampText(date) === date.toISOString()),
    { numRuns: 2_000 },
  )
})

it("timestampText throws a RangeError for an invalid date, every time", () => {
  for (const _ of [1, 2]) expect(() => timestampText(new Date(Number.NaN))).toThrow(RangeError)
})
