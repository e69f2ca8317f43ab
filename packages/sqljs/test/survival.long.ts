/** Killing writers and changing bytes never loses an acknowledged transaction and never stops SQLite. */
import { expect, it } from "vitest"
import { runProgram } from "./programs/run-program.js"

// To run it for longer: node packages/sqljs/test/programs/survival.ts SEED KILLS DATABASES
it("loses nothing in 40 kills and 60 changed databases", async () => {
  expect((await runProgram("survival.ts", ["1", "40", "60"]).lines).join("\n")).toMatch(
    /^40 kills, \d+ left a journal; 60 databases, \d+ intact; nothing lost$/,
  )
})
