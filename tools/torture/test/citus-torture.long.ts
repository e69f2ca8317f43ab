/** Runs `npm run torture -- --store citus` while cluster nodes die or hang. */
import { it } from "vitest"
import { expectNothingLost } from "./nothing-lost.ts"

it("the service loses nothing in rounds with a dead or hanging node", () => {
  const only = ["worker is killed", "worker says nothing", "coordinator is killed"]
  return expectNothingLost({ store: "citus", seed: 20, rounds: 6, only })
})
