/** Checks the exit code and the last lines of a test run, whatever the exit hooks of libraries do. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"

const vitest = join(import.meta.dirname, "../../../node_modules/.bin/vitest")
const closingLine = new URL("../closing-line.ts", import.meta.url).href

/** Runs vitest on one test file. The configuration runs `ending`, which can add an exit hook. */
const run = async (tests: string, ending: string) => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-closing-line-"))
  try {
    writeFileSync(join(folder, "some.test.mjs"), tests)
    writeFileSync(
      join(folder, "vitest.config.mjs"),
      `import { ClosingLine } from ${JSON.stringify(closingLine)}
       ${ending}
       export default { test: { globals: true, include: ["*.test.mjs"], reporters: ["default", new ClosingLine()] } }`,
    )
    const child = spawn(vitest, ["run", "--root", folder], { stdio: ["ignore", "pipe", "pipe"] })
    let printed = ""
    child.stdout.on("data", (bytes: Buffer) => {
      printed += bytes.toString()
    })
    child.stderr.resume()
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    const lines = printed.trimEnd().split("\n")
    const first = lines.findIndex((line) => /^(?:failed|flaky): /.test(line))
    return { code, lastLines: lines.slice(first === -1 ? -1 : first) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const passing = `it("passes", () => {})`
const failing = `${passing}; it("fails", () => expect(1).toBe(2))`
const failure = ["  expected 1 to be 2 // Object.is equality", "  - Expected", "  + Received", "  - 2", "  + 1"]

it("a test run exits with code 0 if every test passed", async () => {
  expect(await run(passing, "")).toStrictEqual({ code: 0, lastLines: ["1 passed, 0 failed"] })
})

it.each([
  ["calls process.exit(0) on beforeExit", `process.on("beforeExit", () => process.exit(0))`],
  ["sets process.exitCode to 0 on exit", `process.once("exit", () => { process.exitCode = 0 })`],
])("a test run with a failed test exits with code 1, even if a library %s", async (_, ending) => {
  expect(await run(failing, ending)).toStrictEqual({
    code: 1,
    lastLines: ["failed: some.test.mjs > fails", ...failure, "1 passed, 1 failed"],
  })
})

it("a test run counts a file that cannot be loaded as a failure", async () => {
  expect(await run(`throw new Error("not today")`, "")).toStrictEqual({
    code: 1,
    lastLines: ["failed: some.test.mjs", "  not today", "0 passed, 1 failed"],
  })
})

it("a test run counts and shows a hook that fails and an unhandled error", async () => {
  const tests = `${passing}
    describe("pets", () => { beforeAll(() => { throw new Error("no food") }); it("does not run", () => {}) })
    it("leaves a promise", () => { Promise.reject(new Error("too late")) })`
  expect(await run(tests, "")).toStrictEqual({
    code: 1,
    lastLines: [
      "failed: some.test.mjs > pets",
      "  no food",
      "failed: an unhandled error",
      "  too late",
      "2 passed, 2 failed, 1 skipped",
    ],
  })
})

it("a test run shows the first five failures, and eight lines of each", async () => {
  const { lastLines } = await run(`it.each([1, 2, 3, 4, 5, 6])("fails %d", () => { throw new Error("a\\n".repeat(20)) })`, "")
  const shown = [1, 2, 3, 4, 5].flatMap((test) => [`failed: some.test.mjs > fails ${test}`, ...Array(8).fill("  a")])
  expect(lastLines).toStrictEqual([...shown, "0 passed, 6 failed"])
})

it("a test run names a test that passed only on the second try, and counts the test as failed", async () => {
  const flaky = `${passing}; let tries = 0; it("fails once", { retry: 1 }, () => expect((tries += 1)).toBe(2))`
  expect(await run(flaky, "")).toStrictEqual({
    code: 1,
    lastLines: ["flaky: some.test.mjs > fails once", "1 passed, 1 failed"],
  })
})
