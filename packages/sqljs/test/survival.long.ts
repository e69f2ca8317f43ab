/** Killed writers never lose an acknowledged transaction, and changed bytes in a database never stop SQLite. */
import { expect, it } from "vitest"
import { runProgram } from "./programs/run-program.js"

// To run it for longer: node packages/sqljs/test/programs/survival.ts SEED KILLS DATABASES
it("40 kills lose no acknowledged batch, and 60 changed databases do not stop SQLite", async () => {
  expect((await runProgram("survival.ts", ["1", "40", "60"]).lines).join("\n")).toMatch(
    /^40 kills, \d+ left a journal; 60 databases, \d+ intact; nothing lost$/,
  )
})
