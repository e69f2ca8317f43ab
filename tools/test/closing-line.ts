/** Ends a test run with the line `N passed, N failed`: the tests that ran in this call, and any that were skipped. */
import type { Reporter, SerializedError, TestModule } from "vitest/node"

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<SerializedError>): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      // A file or suite that could not be loaded fails although none of its tests ran.
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length
    }
    const skipped = count.skipped + count.pending
    // The default reporter prints its own summary in the same event; the closing line comes after it.
    process.once("exit", () => {
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`)
      // A library of the run may end the process with 0 from a hook of its own: a failed run must not look like a good one.
      if (count.failed > 0) process.exitCode = 1
    })
  }
}
