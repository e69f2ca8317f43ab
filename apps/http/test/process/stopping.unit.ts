/** Tests how the time for shutdown is divided. */
import { expect, it } from "vitest"
import { stopping } from "../../src/process/service.js"

it("cuts connections 1.5 s before the shutdown deadline", () => {
  expect(stopping({ shutdownMillis: 5_000 })).toEqual({ idleMillis: 1_000, deadlineMillis: 3_500 })
})

it("keeps the deadline of a worker that gets its instruction late", () => {
  expect(stopping({ shutdownMillis: 5_000 }, 2_700)).toEqual({ idleMillis: 800, deadlineMillis: 800 })
  expect(stopping({ shutdownMillis: 5_000 }, 9_000)).toEqual({ idleMillis: 0, deadlineMillis: 0 })
})
