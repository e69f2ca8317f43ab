/**
 * The public surface of every published package as committed text, one report per entry: `packages/core/api/index.api.md`. A
 * change to the surface then shows up as a changed file in a review.
 *
 *     node tools/packaging/src/api-report.ts           fails if a report differs from what the code exports
 *     node tools/packaging/src/api-report.ts --write   writes the reports
 */
import { existsSync, globSync, mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { CompilerState, Extractor, ExtractorConfig, type ExtractorMessage } from "@microsoft/api-extractor"
import { type Entry, type PublishedPackage, publishedPackages, root } from "./published.ts"

/** The compiler options for declarations: those of a strict importer. */
const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.iterator", "esnext.disposable", "dom"],
    types: ["node"],
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
  },
}

const configurationOf = ({ folder }: PublishedPackage, entry: Entry, reports: string): ExtractorConfig =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: entry.declarations,
      compiler: { overrideTsconfig: tsconfig },
      apiReport: {
        enabled: true,
        reportFileName: entry.name,
        reportFolder: reports,
        reportTempFolder: join(reports, "temp"),
        // A port's shape is the base of its class, which TypeScript declares separately and does not export. A program that
        // imports only `/promise` can name only its types.
        includeForgottenExports: ["index", "promise"].includes(entry.name),
      },
      newlineKind: "lf",
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, "package.json"),
  })

const everyKind = "class|const|function|interface|type"

const declared = (report: string, keyword: "export " | "", kinds = everyKind): ReadonlyArray<string> =>
  [...report.matchAll(new RegExp(`^${keyword}(?:abstract )?(?:${kinds}) (\\w+)`, "gm"))].map(([, name = ""]) => name)

/** Parts of public types that no declaration of an importer can contain: a type's keys, and a base with public extensions. */
const nameless = new Set(["answered", "Failure"])

/** The faults in an entry's report, apart from differences from the committed report. */
const flaws = (report: string, file: string): ReadonlyArray<string> => [
  // In `/promise`, only interfaces need their names: compilers write the members of other types.
  ...declared(report, "", file === "promise.api.md" ? "interface" : everyKind)
    // TypeScript names the base of a class when the class extends the value of an expression.
    .filter((name) => !name.endsWith("_base") && !nameless.has(name))
    // In `/promise`, a plain type can have the name that another entry uses for a type with a schema.
    .filter((name) => !declared(report, "export ").includes(name.replace(/_2$/, "")))
    .map((name) => `${name} is part of a public type, but no entry exports it`),
  ...[...report.matchAll(/\(undocumented\)\nexport \w+ (\w+)/g)].map(([, name]) => `${name} has no docstring`),
  // An editor shows a type's declaration, so the declaration must list the members, not the schema that checks them.
  ...[...report.matchAll(/^export .*(?:propertySignature|transform|Struct)<.*$/gm)].map(([line]) => `hard to read: ${line}`),
]

const write = process.argv.includes("--write")
const problems: Array<string> = []

// The surface of sqljs is that of `node:sqlite`: the tests of sqljs compare it with Node's declarations.
for (const published of publishedPackages.filter(({ name }) => name !== "@petstore/sqljs")) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-api-"))
  const reports = folder.path
  const configurations = published.entries.map((entry) => configurationOf(published, entry, reports))
  const [first] = configurations
  if (first === undefined) continue
  // One program for all entries, because reading effect's declarations is most of the work.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: published.entries.map(({ declarations }) => declarations),
  })
  const messages: Array<ExtractorMessage> = []
  for (const configuration of configurations) {
    Extractor.invoke(configuration, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => {
        const { messageId, logLevel } = message
        if (["warning", "error"].includes(logLevel) && !messageId.startsWith("console-")) messages.push(message)
        // Keeps the extractor from printing the message.
        message.handled = true
      },
    })
  }
  const committed = join(published.folder, "api")
  const made = globSync("*.api.md", { cwd: reports })
  const read = (file: string): string => readFileSync(join(reports, file), "utf8")
  // Exports that only the service uses may change in every release.
  const current = made.filter((file) => file !== "internal.api.md")
  for (const file of current) {
    const report = read(file)
    for (const flaw of flaws(report, file)) problems.push(`${published.name}: ${flaw}`)
    const path = join(committed, file)
    if (existsSync(path) && readFileSync(path, "utf8") === report) continue
    if (write) writeFileSync(path, report)
    else
      problems.push(
        `${relative(root, path)} differs from what the code exports: run npm run fix, review the change and commit it`,
      )
  }
  for (const message of messages) problems.push(`${published.name}: ${message.formatMessageWithLocation(root)}`)
  for (const file of globSync("*.api.md", { cwd: committed })) {
    if (current.includes(file)) continue
    if (write) rmSync(join(committed, file))
    else problems.push(`${relative(root, join(committed, file))} does not belong to an entry: run npm run fix`)
  }
}

for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
