/**
 * `npm run binary [FILE]`: the `petstore` command as one executable file for this platform, including Node, the pages and
 * everything else that it needs (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { root } from "./published.ts"

const app = join(root, "apps/http")

/** The folder of a package, as resolved by a module in `folder`. */
const packageFolder = (name: string, folder: string): string => {
  const places = createRequire(join(folder, "package.json")).resolve.paths(name) ?? []
  const place = places.find((modules) => statSync(join(modules, name), { throwIfNoEntry: false }) !== undefined)
  if (place === undefined) throw new Error(`${name}, which ${folder} needs, is not installed; run npm ci`)
  return join(place, name)
}

/** The folders of all packages that the package in `folder` needs at run time. */
const dependenciesOf = (folder: string, found = new Set<string>()): ReadonlySet<string> => {
  // Safe: npm installs no package whose manifest has dependencies of a different shape.
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(dependencies)) {
    const dependency = packageFolder(name, folder)
    if (found.has(dependency)) continue
    found.add(dependency)
    dependenciesOf(dependency, found)
  }
  return found
}

const filesIn = (folder: string, pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: folder, exclude: ["**/node_modules/**", "**/{test,tests,typings}/**", "**/*.map"] })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile())

/** The program's files, by their paths in the repository. The program sees the same paths under a virtual root. */
const assets = (): Readonly<Record<string, string>> => {
  const files = [
    join(app, "package.json"),
    ...filesIn(join(app, "dist"), "**/*"),
    ...[...dependenciesOf(app)].flatMap((folder) => filesIn(folder, "**/{*.{js,cjs,mjs,json},LICENSE*,license*}")),
  ]
  return Object.fromEntries(files.map((file) => [relative(root, file), file]))
}

// The executable contains the Node that runs this script.
const output = resolve(process.argv[2] ?? join(root, "dist/petstore"))
using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-binary-"))
const [main, configuration] = [join(folder.path, "petstore.mjs"), join(folder.path, "sea.json")]
writeFileSync(main, `await import("./apps/http/dist/main.js")\n`)
writeFileSync(
  configuration,
  JSON.stringify({
    ...{ main, mainFormat: "module", output, assets: assets() },
    // Node does not support a code cache together with a virtual file system.
    ...{ useVfs: true, disableExperimentalSEAWarning: true },
    // The same flags as in bin/petstore.
    execArgv: ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=50"],
  }),
)
mkdirSync(dirname(output), { recursive: true })
// Node resolves the main module's path in the virtual file system relative to the folder in which it runs.
execFileSync(process.execPath, ["--build-sea", configuration], { cwd: folder.path, stdio: ["ignore", "ignore", "inherit"] })
process.stdout.write(`${output} (${Math.round(statSync(output).size / 2 ** 20)} MiB)\n`)
