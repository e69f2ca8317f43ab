/** Random histories of several processes, with kills and namespaces, have the same results and rows as with `node:sqlite`. */
import { expect, it } from "vitest"
import { runProgram } from "./programs/run-program.js"

// To run it for longer: node packages/sqljs/test/programs/histories.ts 1000 900s
it("20 random histories have the same results as with node:sqlite", async () => {
  expect((await runProgram("histories.ts", ["1", "20"]).lines).join("\n")).toMatch(/^20 histories, \d+ steps, no difference$/)
})
