/**
 * Fails when what would be published is not as it should be: publint or attw find something, a
 * file is packed that nobody needs, one is missing, or a package outgrows its budget.
 *
 *     node tools/packaging/src/packed.ts          prints what is wrong
 *     node tools/packaging/src/packed.ts --list   prints every packed file, and the sizes
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { rolldown } from "rolldown"
import { bundleBudgets, tarballBudgets } from "./budgets.ts"
import { packAll, type Tarball } from "./pack.ts"
import { root } from "./published.ts"

const run = promisify(execFile)

/** All that a package may hold: modules with their maps and declarations, a binary with its licence, the licence, the README, the manifest. */
const belongs =
  /^(?:dist\/[a-z0-9/-]+\.(?:js|js\.map|d\.ts)|dist\/sql-wasm-debug\.wasm|dist\/sql\.js\.LICENSE|LICENSE|README\.md|package\.json)$/

const wrongFiles = ({ published, files }: Tarball): ReadonlyArray<string> => {
  const scripts = files.filter((file) => file.endsWith(".js"))
  return [
    ...files.filter((file) => !belongs.test(file)).map((file) => `${file} is packed`),
    ...["LICENSE", "README.md", ...scripts.map((file) => `${file}.map`)]
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is missing`),
    ...scripts.flatMap((file) => wrongMap(join(published.folder, `${file}.map`))),
    ...(readFileSync(join(published.folder, "LICENSE"), "utf8") === readFileSync(join(root, "LICENSE"), "utf8")
      ? []
      : ["LICENSE is not the one of the repository"]),
  ]
}

/** A map is of use without the repository only if it holds the sources. */
const wrongMap = (path: string): ReadonlyArray<string> => {
  const { sources, sourcesContent }: { sources: ReadonlyArray<string>; sourcesContent?: ReadonlyArray<string | null> } =
    JSON.parse(readFileSync(path, "utf8"))
  return sources.every((_, index) => typeof sourcesContent?.[index] === "string") ? [] : [`${path} does not hold its sources`]
}

const wrongManifest = ({ manifest }: Tarball): ReadonlyArray<string> => [
  ...(manifest["sideEffects"] === false ? [] : ["package.json does not say sideEffects: false"]),
  ...(typeof manifest["description"] === "string" ? [] : ["package.json has no description"]),
]

const lint = async ({ path }: Tarball): Promise<ReadonlyArray<string>> => {
  const tarball = new Uint8Array(readFileSync(path)).buffer
  const { messages, pkg } = await publint({ strict: true, level: "suggestion", pack: { tarball } })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

/** Packages are ESM only: that CommonJS cannot `require` their types is meant. */
const areTheTypesWrong = async ({ path }: Tarball): Promise<ReadonlyArray<string>> => {
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js")
  const options = ["--profile", "esm-only", "--no-emoji", "--no-color", "--format", "ascii"]
  return run(process.execPath, [attw, path, ...options]).then(
    () => [],
    (failed: { readonly stdout?: string; readonly message: string }) => [`attw: ${failed.stdout || failed.message}`],
  )
}

/** Minified and gzipped, without what an app has anyway. */
const bundleSize = async (declarations: string): Promise<number> => {
  const bundle = await rolldown({
    input: declarations.replace(/\.d\.ts$/, ".js"),
    external: [/^effect/, /^@effect\//],
    logLevel: "silent",
  })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  return gzipSync(output.map((chunk) => ("code" in chunk ? chunk.code : "")).join("")).length
}

const within = (what: string, size: number, budget: number | undefined): ReadonlyArray<string> =>
  budget === undefined
    ? [`${what} has no budget`]
    : size > budget
      ? [`${what} is ${size} bytes, more than its budget of ${budget}`]
      : []

const list = process.argv.includes("--list")
const say = (line: string): void => void (list && process.stdout.write(`${line}\n`))

const examine = async (tarball: Tarball): Promise<ReadonlyArray<string>> => {
  const { published, size, files } = tarball
  say(`${published.name}: ${files.length} files, ${size} bytes`)
  for (const file of files) say(`    ${file}`)
  const found = [
    ...wrongFiles(tarball),
    ...wrongManifest(tarball),
    ...within("the tarball", size, tarballBudgets[published.name]),
    ...(await lint(tarball)),
    ...(await areTheTypesWrong(tarball)),
  ]
  for (const { specifier, declarations } of published.entries) {
    const budget = bundleBudgets[specifier]
    if (budget === undefined) continue
    const bundled = await bundleSize(declarations)
    say(`    ${specifier}: ${bundled} bytes bundled`)
    found.push(...within(`${specifier} in a bundle`, bundled, budget))
  }
  return found.map((problem) => `${published.name}: ${problem}`)
}

const folder = mkdtempSync(join(tmpdir(), "petstore-packed-"))
try {
  const problems = (await Promise.all(packAll(folder).map(examine))).flat()
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
