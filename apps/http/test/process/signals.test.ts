/** Tests which handler gets which signal, in a separate process, because the test runner has its own handlers. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const signals = pathToFileURL(join(import.meta.dirname, "../../src/process/signals.ts")).href

const run = (script: string) =>
  promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { endOnStopSignals, onStopSignals } from "${signals}"\n${script}`,
  ])

it("onStopSignals calls the first handler once, and the second handler for every later signal", async () => {
  const { stdout } = await run(`
    endOnStopSignals()
    onStopSignals(() => console.log("first"), () => console.log("second"))
    for (const signal of ["SIGTERM", "SIGINT", "SIGTERM"]) process.emit(signal, signal)
  `)
  expect(stdout).toBe("first\nsecond\nsecond\n")
})

it("endOnStopSignals lets a signal terminate a command whose work does not return to the event loop", async () => {
  const ended = run(`
    endOnStopSignals()
    process.kill(process.pid, "SIGTERM")
    const startedAt = performance.now()
    while (performance.now() - startedAt < 1000) {}
    console.log("worked on")
  `)
  await expect(ended).rejects.toMatchObject({ signal: "SIGTERM", stdout: "" })
})
