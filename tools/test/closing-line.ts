/**
 * Ends a run with the first failures, each in a few lines, and the line `N passed, N failed`. A test that passes only on a
 * second try counts as failed.
 */
import { stripVTControlCharacters } from "node:util"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

/** A run with many failures has one cause, which the first ones show. The default reporter prints all of them in full. */
const shownFailures = 5
const linesOfFailure = 8
const charactersOfLine = 300

const described = (name: string, { message, diff }: SerializedError): string => {
  const said = stripVTControlCharacters(`${message}\n${typeof diff === "string" ? diff : ""}`)
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  return [`failed: ${name}`, ...lines.slice(0, linesOfFailure).map((line) => `  ${line.slice(0, charactersOfLine)}`)].join("\n")
}

export class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<SerializedError>): void {
    const failures: Array<string> = []
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      const { relativeModuleId: file } = module
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        const isFlaky = test.diagnostic()?.flaky === true
        if (isFlaky) failures.push(`flaky: ${file} > ${test.fullName}`)
        if (state === "failed") failures.push(described(`${file} > ${test.fullName}`, errors[0] ?? { message: "" }))
        count[isFlaky ? "failed" : state] += 1
      }
      // A file or suite that could not be loaded counts as failed, although none of its tests ran.
      failures.push(...module.errors().map((error) => described(file, error)))
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) {
        failures.push(...suite.errors().map((error) => described(`${file} > ${suite.fullName}`, error)))
        count.failed += suite.errors().length
      }
    }
    failures.push(...unhandledErrors.map((error) => described("an unhandled error", error)))
    count.failed += unhandledErrors.length
    const skipped = count.skipped + count.pending
    // The default reporter prints its own summary in the same event, and the closing line must come after it.
    process.once("exit", () => {
      for (const failure of failures.slice(0, shownFailures)) process.stdout.write(`${failure}\n`)
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`)
      // A library's own hook can set the exit code to 0, but a failed run must not look successful.
      if (count.failed > 0) process.exitCode = 1
    })
  }
}
