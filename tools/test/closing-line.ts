/** Ends a run with the line `N passed, N failed`. Names each test that passes only on a second try, and counts it as failed. */
import type { Reporter, SerializedError, TestModule } from "vitest/node"

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<SerializedError>): void {
    const flaky: Array<string> = []
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const isFlaky = test.diagnostic()?.flaky === true
        if (isFlaky) flaky.push(`flaky: ${module.relativeModuleId} > ${test.fullName}\n`)
        count[isFlaky ? "failed" : test.result().state] += 1
      }
      // A file or suite that could not be loaded counts as failed, although none of its tests ran.
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length
    }
    const skipped = count.skipped + count.pending
    // The default reporter prints its own summary in the same event, and the closing line must come after it.
    process.once("exit", () => {
      process.stdout.write(flaky.join(""))
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`)
      // A library's own hook can set the exit code to 0, but a failed run must not look successful.
      if (count.failed > 0) process.exitCode = 1
    })
  }
}
