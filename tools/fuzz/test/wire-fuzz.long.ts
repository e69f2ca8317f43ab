/** Fuzzes the built service on the wire with many seeds, including stops. */
import { commandPath } from "@petstore/harness/command"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"
import { fuzzWire, type WireFailure } from "../src/wire/wire-fuzz.ts"

/** Runs the seeds from `first` to `last`. Returns the first failures, at most three. */
const failuresOf = async (first: number, last: number, databaseUrl?: string): Promise<ReadonlyArray<WireFailure>> => {
  const failures: Array<WireFailure> = []
  let played = 0
  for await (const failure of fuzzWire({ command: commandPath("petstore"), databaseUrl, first, last, shrinkMillis: 20_000 })) {
    played += 1
    if (failure !== undefined && failures.push(failure) === 3) break
  }
  if (failures.length === 0) expect(played).toBe(last - first + 1)
  return failures
}

it("the service keeps its promises on the wire, even while it is stopping", async () => {
  expect(await failuresOf(85, 640)).toEqual([])
})

// On PostgreSQL, the response to a create request comes long after the service has read the request.
it("the service on PostgreSQL keeps its promises on the wire", async () => {
  expect(await failuresOf(641, 900, await newPostgresDatabase())).toEqual([])
})
