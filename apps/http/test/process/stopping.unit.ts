/** Tests how the time for shutdown is divided. */
import { expect, it } from "vitest"
import { stopping } from "../../src/process/service.js"

it("stopping ends connections 1.5 s before the shutdown time is over", () => {
  expect(stopping({ shutdownMillis: 5_000 })).toEqual({ idleMillis: 1_000, deadlineMillis: 3_500 })
})

it("stopping shortens the time of a worker that gets its instruction late, so the deadline stays the same", () => {
  expect(stopping({ shutdownMillis: 5_000 }, 2_700)).toEqual({ idleMillis: 800, deadlineMillis: 800 })
  expect(stopping({ shutdownMillis: 5_000 }, 9_000)).toEqual({ idleMillis: 0, deadlineMillis: 0 })
})
