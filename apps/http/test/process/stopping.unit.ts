/** Tests how the time for shutdown is divided. */
import { expect, it } from "vitest"
import { stopping } from "../../src/process/service.js"

it("stopping ends connections 1.5 s before the shutdown time is over", () => {
  expect(stopping({ shutdownMillis: 5_000 })).toEqual({ idleMillis: 1_000, deadlineMillis: 3_500 })
})

it("stopping leaves at least half of the shutdown time", () => {
  expect(stopping({ shutdownMillis: 1_000 })).toEqual({ idleMillis: 500, deadlineMillis: 500 })
})
