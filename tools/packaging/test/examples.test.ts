/** Each program in `docs/examples/` prints its promised output. The adapter in that folder has its own test next to it. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { examplesFolder, programs, promisedOutput } from "./examples.ts"

it.each(programs)("docs/examples/%s prints the output that it promises", (program) => {
  const printed = execFileSync(process.execPath, [join(examplesFolder, `${program}.ts`)], { encoding: "utf8" })
  expect(printed).toBe(promisedOutput(program))
})
