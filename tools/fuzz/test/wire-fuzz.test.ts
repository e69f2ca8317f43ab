/** A short wire fuzzing run against the built service. The long tests play more seeds. */
import { commandPath } from "@petstore/harness/command"
import { expect, it } from "vitest"
import { fuzzWire, type WireFailure } from "../src/wire/wire-fuzz.ts"

it("the service keeps its promises on the wire to every kind of caller", async () => {
  const failures: Array<WireFailure> = []
  // With these seeds, the service stops but does not replace its workers, because a replacement takes longer.
  const { played } = await fuzzWire(
    { command: commandPath("petstore"), first: 22, last: 84, shrinkMillis: 5_000 },
    { failed: (failure) => failures.push(failure) < 3, goesOn: () => true },
  )
  expect(failures).toEqual([])
  expect(played).toBe(63)
})
