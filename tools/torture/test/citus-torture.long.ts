/** `npm run torture -- --store citus`: cluster nodes that die or hang. */
import { it } from "vitest"
import { expectNothingLost } from "./nothing-lost.ts"

it("loses nothing in rounds with every node fault", () => {
  const only = ["worker is killed", "worker says nothing", "coordinator is killed"]
  return expectNothingLost({ store: "citus", seed: 20, rounds: 6, only })
})
