/**
 * `npm run binary [FILE]`: the `petstore` command as one executable file for this platform, including Node, the pages and
 * everything else that it needs (https://nodejs.org/api/single-executable-applications.html).
 */
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempDisposableSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { root } from "./published.ts"

const app = join(root, "apps/http")

const filesIn = (folder: string, pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: folder, exclude: ["**/node_modules/**", "**/{test,tests,typings}/**", "**/*.map"] })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile())

const options = ["--workspace=petstore", "--all", "--omit=dev", "--parseable", "--loglevel=error"]
/** The folders of all packages that the service needs at run time. npm first lists the repository and the service. */
const [_repository, _service, ...dependencies] = execFileSync("npm", ["ls", ...options], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
const files = [
  join(app, "package.json"),
  ...filesIn(join(app, "dist"), "**/*"),
  ...dependencies.flatMap((folder) => filesIn(folder, "**/{*.{js,cjs,mjs,json},LICENSE*,license*}")),
]
/** The program's files, by their paths in the repository. The program sees the same paths under a virtual root. */
const assets = Object.fromEntries(files.map((file) => [relative(root, file), file]))

// The executable contains the Node that runs this script.
const output = resolve(process.argv[2] ?? join(root, "dist/petstore"))
using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-binary-"))
const [main, configuration] = [join(folder.path, "petstore.mjs"), join(folder.path, "sea.json")]
writeFileSync(main, `await import("./apps/http/dist/main.js")\n`)
writeFileSync(
  configuration,
  JSON.stringify({
    main,
    mainFormat: "module",
    output,
    assets,
    // Node does not support a code cache together with a virtual file system.
    useVfs: true,
    disableExperimentalSEAWarning: true,
    // The same flags as in bin/petstore.
    execArgv: [
      "--disable-warning=ExperimentalWarning",
      "--max-semi-space-size=8",
      "--heap-growing-percent=50",
      "--no-parallel-scavenge",
      "--no-allocation-site-pretenuring",
    ],
  }),
)
mkdirSync(dirname(output), { recursive: true })
// Node resolves the main module's path in the virtual file system relative to the folder in which it runs.
execFileSync(process.execPath, ["--build-sea", configuration], { cwd: folder.path, stdio: ["ignore", "ignore", "inherit"] })
process.stdout.write(`${output} (${Math.round(statSync(output).size / 2 ** 20)} MiB)\n`)
