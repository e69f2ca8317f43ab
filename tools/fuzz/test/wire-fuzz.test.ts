/** Fuzzes the built service on the wire with a few seeds. The long tests use more. */
import { commandPath } from "@petstore/harness/command"
import { expect, it } from "vitest"
import { fuzzWire, type WireFailure } from "../src/wire/wire-fuzz.ts"

it("the service keeps its promises on the wire, even to callers that stall or disconnect", async () => {
  const failures: Array<WireFailure> = []
  // These seeds stop the service but do not replace its workers, which would take longer.
  const { played } = await fuzzWire(
    { command: commandPath("petstore"), first: 22, last: 84, shrinkMillis: 5_000 },
    { failed: (failure) => failures.push(failure) < 3, goesOn: () => true },
  )
  expect(failures).toEqual([])
  expect(played).toBe(63)
})
