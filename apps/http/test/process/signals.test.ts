/** Which handler hears which signal, in a process of its own: a test runner has handlers too. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const signals = pathToFileURL(join(import.meta.dirname, "../../src/process/signals.ts")).href

it("calls the first handler once, and the second one for every later signal", async () => {
  const script = `
    import { hearStopSignals, onStopSignals } from "${signals}"
    hearStopSignals()
    onStopSignals(() => console.log("first"), () => console.log("second"))
    for (const signal of ["SIGTERM", "SIGINT", "SIGTERM"]) process.emit(signal, signal)
  `
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script])
  expect(stdout).toBe("first\nsecond\nsecond\n")
})
