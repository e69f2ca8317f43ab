/** Runs `npm run torture -- --store standby`, also through PgBouncer: the primary dies, and its standby takes its place. */
import { expect, it } from "vitest"
import type { StoreName } from "../src/stores.ts"
import { torture } from "../src/torture.ts"
import { expectNothingLost } from "./nothing-lost.ts"

it.each<StoreName>(["standby", "pooler"])("the service loses nothing when the primary dies twice (%s)", (store) =>
  expectNothingLost({ store, seed: 2, rounds: 4, only: ["primary dies", "responses are lost"] }),
)

it("the kit catches a primary that acknowledges writes before its standby has them", async () => {
  const mutant = "acknowledge before the standby has it"
  const { failed } = await torture({ store: "standby", seed: 2, rounds: 20, only: ["primary dies"], mutant })
  expect(failed).toBeDefined()
})
