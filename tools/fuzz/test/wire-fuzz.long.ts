/** A long round of the fuzz of the wire against the built service, restarts included. */
import { commandPath } from "@petstore/conformance/serving"
import { expect, it } from "vitest"
import { fuzzWire, type WireFailure } from "../src/wire/wire-fuzz.ts"

it("keeps every promise of the wire to callers of all kinds, while it stops and replaces its workers", {
  timeout: 600_000,
}, async () => {
  const failures: Array<WireFailure> = []
  const { played } = await fuzzWire(
    { command: commandPath("petstore"), first: 85, last: 800, shrinkMillis: 20_000 },
    { failed: (failure) => failures.push(failure) < 3, goesOn: () => true },
  )
  expect(failures).toEqual([])
  expect(played).toBe(716)
})
