/**
 * Checks whether the tests detect faults. Selects faults by a seed and applies them one at a time to a copy of the last commit.
 * Runs the tests that are likely to detect the fault, and then all of `npm test`, until a test fails twice.
 *
 *     npm run mutants -- [--count 60] [--seed 1] [--from 0] [--files PREFIX] [--list] [--likely] [--through "nice -n 10"]
 *
 * `--list` only lists the faults. `--likely` skips the rest of `npm test`, which takes minutes for each undetected fault.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { say } from "@petstore/harness/command-line"
import { applied, likelihood, type Mutant, mutantsOf, shuffled } from "./mutants.ts"

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    files: { type: "string", default: "" },
    through: { type: "string", default: "" },
    list: { type: "boolean", default: false },
    likely: { type: "boolean", default: false },
  },
})

const root = join(import.meta.dirname, "../../..")

/** The mutants for a copy of the repository, in the order in which they are tested. */
const mutantsIn = (tree: string): ReadonlyArray<Mutant> =>
  shuffled(
    // Excludes the contract suites that core publishes, because they are themselves tests.
    ["packages/core/src", "packages/storage/src", "apps/http/src"]
      .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: tree, exclude: ["**/testing/**"] }))
      .filter((file) => file.startsWith(values.files))
      .sort()
      .flatMap((file) => mutantsOf(file, readFileSync(join(tree, file), "utf8"))),
    Number(values.seed),
  ).slice(Number(values.from))

const shown = ({ file, line, kind, before, after }: Mutant): string => {
  const short = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 70)
  return `${file}:${line}\t${kind}\t${short(before)}\t${kind === "statement" ? "" : short(after)}`
}

if (values.list) {
  for (const mutant of mutantsIn(root).slice(0, Number(values.count))) say(shown(mutant))
  process.exit()
}

const parent = mkdtempSync(join(tmpdir(), "petstore-mutants-"))
const copy = join(parent, "copy")
const through = values.through.split(" ").filter((word) => word !== "")

/** Runs a program in the copy, and returns its exit code: 124 or 137 after a timeout. */
const exitCode = (command: ReadonlyArray<string>, limitMillis: number): number | null => {
  const [program = "", ...args] = [...through, "timeout", "--kill-after=5", String(limitMillis / 1000), ...command]
  return spawnSync(program, args, { cwd: copy, stdio: "ignore", env }).status
}
// biome-ignore lint/style/noProcessEnv: the programs in the copy get this program's environment
const env = { ...process.env, TURBO_CACHE_DIR: join(parent, "turbo") }

/** Runs test files up to the first failure, or all of `npm test`. Returns the failed files, or `undefined` after a timeout. */
const failing = (tests: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const report = join(parent, "report.json")
  rmSync(report, { force: true })
  const vitest = ["npx", "--no", "--", "vitest", "run", "--config", "tools/test/vitest.config.ts"]
  const options = ["--project", "unit", "--project", "service", "--bail=1", "--reporter=json", `--outputFile=${report}`]
  const code = exitCode([...vitest, ...options, ...tests], tests.length === 0 ? 900_000 : 300_000)
  if (code === 0) return []
  if (code === 124 || code === 137) return undefined
  const { testResults }: { readonly testResults: ReadonlyArray<{ readonly name: string; readonly status: string }> } = JSON.parse(
    readFileSync(report, "utf8"),
  )
  return testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(copy, name))
}

const builds = (): boolean => exitCode(["npm", "run", "--silent", "build"], 300_000) === 0

/** The test that detects the fault in the copy. A test that passes on the second attempt does not count. */
const noticedBy = (file: string): string | undefined => {
  const likely = globSync("{packages,apps,tools}/*/test/**/*.{unit,test}.ts", { cwd: copy })
    .map((test) => ({ test, likelihood: likelihood(test, file) }))
    .filter((one) => one.likelihood > 1)
    .sort((one, other) => other.likelihood - one.likelihood)
    .slice(0, 16)
    .map(({ test }) => test)
  for (const run of [likely.slice(0, 4), likely.slice(4), ...(values.likely ? [] : [[]])]) {
    const failed = failing(run)
    if (failed === undefined) return "the timeout"
    const again = failed.find((test) => failing([test])?.length !== 0)
    if (again !== undefined) return again
  }
  return undefined
}

// If this user is root, PostgreSQL runs as a different user, who must be able to read the copy.
chmodSync(parent, 0o755)
try {
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", copy, "HEAD"], { cwd: root })
  for (const modules of globSync("{.,packages/*,apps/*,tools/*}/node_modules", { cwd: root })) {
    execFileSync("cp", ["--archive", "--link", join(root, modules), join(copy, modules)])
  }
  if (!builds()) throw new Error("The copy does not build.")
  let tried = 0
  for (const [index, mutant] of mutantsIn(copy).entries()) {
    if (tried === Number(values.count)) break
    const path = join(copy, mutant.file)
    const source = readFileSync(path, "utf8")
    writeFileSync(path, applied(mutant, source))
    const start = Date.now()
    // Faults that the compiler detects are skipped.
    if (builds()) {
      const test = noticedBy(mutant.file)
      const seconds = Math.round((Date.now() - start) / 1000)
      const place = index + Number(values.from)
      say(`${place}\t${test === undefined ? "SURVIVED" : `caught by ${test}`}\t${shown(mutant)}\t${seconds} s`)
      tried++
    }
    writeFileSync(path, source)
  }
} finally {
  spawnSync("git", ["worktree", "remove", "--force", copy], { cwd: root })
  rmSync(parent, { recursive: true, force: true })
}
