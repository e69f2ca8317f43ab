/** Fuzzes the built service on the wire with a few seeds. The long tests use more. */
import { commandPath } from "@petstore/harness/command"
import { expect, it } from "vitest"
import { fuzzWire, type WireFailure } from "../src/wire/wire-fuzz.ts"

it("the service keeps its promises on the wire, even to callers that stall or disconnect", async () => {
  const failures: Array<WireFailure> = []
  let played = 0
  for await (const failure of fuzzWire({ command: commandPath("petstore"), first: 22, last: 84, shrinkMillis: 5_000 })) {
    played += 1
    if (failure !== undefined && failures.push(failure) === 3) break
  }
  expect(failures).toEqual([])
  expect(played).toBe(63)
})
