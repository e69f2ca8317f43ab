/** A short run with the faults that need only npm. `faults.long.ts` runs the other faults. */
import { describe, expect, it } from "vitest"
import { faults } from "../src/faults.ts"
import type { Need } from "../src/stores.ts"
import { torture } from "../src/torture.ts"
import { expectNothingLost } from "./nothing-lost.ts"

/** The requirements of faults that need more programs, or that do not apply to SQLite. */
const elsewhere: ReadonlyArray<Need> = ["strace", "small disk", "database server", "cluster"]

const everywhere = faults.filter(({ needs }) => !needs.some((need) => elsewhere.includes(need))).map(({ name }) => name)

it(`the service loses nothing under these faults: ${everywhere.join(", ")}`, () =>
  expectNothingLost({ store: "sqlite", seed: 4, rounds: everywhere.length, only: everywhere }))

describe("an adapter that is broken on purpose", () => {
  it.each([
    "acknowledge before commit",
    "drop a row on restart",
    "give an id twice",
    "lose an idempotency row",
    "acknowledge the end of an order before commit",
    "order by read-then-write",
    "lose a correction",
    "resurrect a removed pet on restart",
    "hide a change from the feed",
    "record a wrong former name",
  ])("is caught: %s", async (mutant) => {
    const { failed } = await torture({ store: "sqlite", seed: 5, rounds: 100, only: ["kill"], mutant })
    // The unbroken service passes rounds with this fault: see above.
    expect(failed).toBeDefined()
  })
})
