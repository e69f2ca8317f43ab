/** Finds the faults in a tarball: in its files, links, types and size, and whatever publint and attw report. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { bundleBudgets, tarballBudgets } from "./budgets.ts"
import { linksOut } from "./links.ts"
import type { Tarball } from "./pack.ts"
import { app, type Entry, root } from "./published.ts"

const run = promisify(execFile)

/** The files that a package may contain. */
const belongs =
  /^(?:dist\/[a-z0-9/-]+\.(?:js|js\.map|d\.ts)|dist\/sql-wasm-debug\.wasm|dist\/sql\.js\.LICENSE|LICENSE|(?:README|CHANGELOG|STABILITY|SPECIFICATION)\.md|package\.json)$/

/** The app is a program with pages and without declarations. It contains the licence of every third-party part. */
const belongsToApp =
  /^(?:bin\/petstore|dist\/[a-z0-9/-]+\.(?:js|js\.map|css|html)|dist\/sql-wasm-debug\.wasm|dist\/(?:sql\.js|effect)\.LICENSE|LICENSE|(?:README|CHANGELOG|STABILITY)\.md|package\.json)$/

const wrongFiles = ({ published, files }: Tarball): ReadonlyArray<string> => {
  const allowed = published === app ? belongsToApp : belongs
  // Small scripts for the app's pages have no map, and neither does a script that only re-exports another.
  const scripts = files.filter((file) => file.endsWith(".js") && (published !== app || files.includes(`${file}.map`)))
  return [
    ...files.filter((file) => !allowed.test(file)).map((file) => `${file} must not be packed`),
    ...["LICENSE", "README.md", "CHANGELOG.md", "STABILITY.md", ...scripts.map((file) => `${file}.map`)]
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is missing`),
    ...scripts.flatMap((file) => wrongMap(join(published.folder, `${file}.map`))),
    ...(readFileSync(join(published.folder, "LICENSE"), "utf8") === readFileSync(join(root, "LICENSE"), "utf8")
      ? []
      : ["LICENSE differs from the repository's LICENSE"]),
  ]
}

/** Without the repository, a source map is useful only if it contains the sources. */
const wrongMap = (path: string): ReadonlyArray<string> => {
  const { sources, sourcesContent }: { sources: ReadonlyArray<string>; sourcesContent?: ReadonlyArray<string | null> } =
    JSON.parse(readFileSync(path, "utf8"))
  return sources.every((_, index) => typeof sourcesContent?.[index] === "string") ? [] : [`${path} does not contain its sources`]
}

const wrongManifest = ({ published, manifest }: Tarball): ReadonlyArray<string> =>
  [
    // On npm, the app's name belongs to another project, so the app must be neither published nor fetched.
    (manifest["private"] === true) !== (published === app) && "package.json must be private in the app, and only there",
    published !== app && (manifest["sideEffects"] ?? true) === true && "package.json does not declare its sideEffects",
    typeof manifest["description"] !== "string" && "package.json has no description",
    published !== app && !Array.isArray(manifest["keywords"]) && "package.json has no keywords",
    "repository" in manifest && !("homepage" in manifest && "bugs" in manifest) && "package.json has no homepage or bugs",
    ...["scripts", "devDependencies"].map((name) => name in manifest && `package.json has ${name}`),
  ].filter((fault) => fault !== false)

/** Every specifier in a declaration file, and in the files of the same package that it imports. */
const declaredImports = (declarations: string, seen: Set<string> = new Set()): ReadonlyArray<string> => {
  if (seen.has(declarations) || !existsSync(declarations)) return []
  seen.add(declarations)
  const text = readFileSync(declarations, "utf8")
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier)
  return named.flatMap((specifier) =>
    specifier.startsWith(".")
      ? declaredImports(join(dirname(declarations), specifier.replace(/\.js$/, ".d.ts")), seen)
      : [specifier],
  )
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

/** Packages with Node types, because they run only on Node. */
const typedForNode = ["@petstore/sqljs"]

/** The forbidden types that a package's entries import, each with the reason. */
const wrongImports = ({ published, manifest }: Tarball): ReadonlyArray<string> => {
  const installed = [
    published.name,
    ...Object.keys({ ...Object(manifest["dependencies"]), ...Object(manifest["peerDependencies"]) }),
  ]
  return published.entries.flatMap(({ specifier, name, declarations }) =>
    declaredImports(declarations).flatMap((named) =>
      [
        // A program without `@types/node` would have to install these types or leave ours unchecked.
        !typedForNode.includes(published.name) &&
          !installed.includes(packageOf(named)) &&
          `the types of ${specifier} need the types of ${named}`,
        // A caller without Effect must not load Effect's declarations, which are hundreds of files.
        name === "promise" && !named.endsWith("/promise") && `the declarations of ${specifier} load ${named}`,
        // The exports of `/internal` may change in every release, so the types of other entries must not name them.
        name !== "internal" && named.endsWith("/internal") && `the declarations of ${specifier} name ${named}`,
      ].filter((fault) => fault !== false),
    ),
  )
}

const lint = async ({ path }: Tarball): Promise<ReadonlyArray<string>> => {
  const tarball = new Uint8Array(readFileSync(path)).buffer
  const { messages, pkg } = await publint({ strict: true, level: "suggestion", pack: { tarball } })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
}

/** Packages are ESM only, so CommonJS intentionally cannot `require` their types. */
const areTheTypesWrong = async ({ path, manifest }: Tarball): Promise<ReadonlyArray<string>> => {
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js")
  // Files that bundlers treat as bytes have no types.
  const files = Object.entries(Object(manifest["exports"])).flatMap(([entry, target]) =>
    typeof target === "string" ? [entry] : [],
  )
  const left = files.length === 0 ? [] : ["--exclude-entrypoints", ...files]
  const options = ["--profile", "esm-only", "--no-emoji", "--no-color", "--format", "ascii"]
  return run(process.execPath, [attw, path, ...options, ...left]).then(
    () => [],
    (failed: { readonly stdout?: string; readonly message: string }) => [`attw: ${failed.stdout || failed.message}`],
  )
}

/** The size of a bundle that imports one name from an entry, or all names, with everything that they need. */
const bundleSize = async ({ declarations }: Entry, name: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export ${name === "*" ? name : `{ ${name} }`} from ${JSON.stringify(declarations.replace(/\.d\.ts$/, ".js"))}`,
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    mainFields: ["module", "main"],
    logLevel: "silent",
  })
  return outputFiles[0]?.contents.length ?? 0
}

const within = (what: string, size: number, budget: number | undefined): ReadonlyArray<string> =>
  budget === undefined
    ? [`${what} has no budget`]
    : size > budget
      ? [`${what} is ${size} bytes, more than its budget of ${budget}`]
      : []

const examine = async (tarball: Tarball): Promise<ReadonlyArray<string>> => {
  const { published, size } = tarball
  const found = [
    ...wrongFiles(tarball),
    ...wrongManifest(tarball),
    ...linksOut(readFileSync(join(published.folder, "README.md"), "utf8")).map(
      (target) => `README.md links to ${target}, which the package does not contain`,
    ),
    ...wrongImports(tarball),
    ...within("the tarball", size, tarballBudgets[published.name]),
    ...(await lint(tarball)),
    ...(published.entries.length > 0 ? await areTheTypesWrong(tarball) : []),
  ]
  for (const entry of published.entries) {
    for (const [specifier, name, budget] of bundleBudgets) {
      if (specifier !== entry.specifier) continue
      found.push(...within(`a bundle of ${name} from ${specifier}`, await bundleSize(entry, name), budget))
    }
  }
  return found.map((problem) => `${published.name}: ${problem}`)
}

export const examineAll = async (tarballs: ReadonlyArray<Tarball>): Promise<ReadonlyArray<string>> =>
  (await Promise.all(tarballs.map(examine))).flat()
