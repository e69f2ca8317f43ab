/** Tests when a worker believes that it was told to stop. */
import { expect, it } from "vitest"
import { latenessOf } from "../../src/process/worker.js"

it("latenessOf returns the time since an instruction was sent", () => {
  expect(latenessOf({ sentAt: Date.now() - 60_000 })).toBeGreaterThanOrEqual(60_000)
})

it("latenessOf treats an instruction without a time, or from the future, as just sent", () => {
  expect(latenessOf({})).toBe(0)
  expect(latenessOf({ sentAt: Date.now() + 60_000 })).toBe(0)
})
