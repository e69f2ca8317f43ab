/** Each program of `docs/examples/` prints what it says. The adapter there has its own test beside it. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { examplesFolder, programs, promisedOutput } from "./examples.ts"

it.each(programs)("docs/examples/%s prints what it says", (program) => {
  const printed = execFileSync(process.execPath, [join(examplesFolder, `${program}.ts`)], { encoding: "utf8" })
  expect(printed).toBe(promisedOutput(program))
})
