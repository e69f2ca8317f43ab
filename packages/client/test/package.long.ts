/** Packs the package, installs it as `npm install @petstore/client` does, and compiles and runs programs that use it. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "petstore-package-"))
const installed = join(folder, "node_modules/@petstore/client")
const workspace = join(import.meta.dirname, "..")
const modulesOfOurs = dirname(dirname(createRequire(import.meta.url).resolve("typescript/package.json")))

beforeAll(() => {
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: workspace })
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", join(folder, "petstore-client-1.0.0.tgz"), "--strip-components=1", "-C", installed])
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A caller's program, which uses the main types of the package. */
const sample = `
import { createClient, isPetstoreError, type ErrorCode, type NewPet, type Page, type Pet, type PetstoreError, type Result } from "@petstore/client"

const petstore = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x", maxRetries: 0, fetch })
export const create = (pet: NewPet): Promise<Result<Pet>> => petstore.createPet(pet, { signal: new AbortController().signal })
export const page: () => Promise<Result<Page>> = () => petstore.listPets({ status: "sold", limit: 5 })
export const all = async (): Promise<bigint> => {
  let sum = 0n
  for await (const { id, categoryId } of petstore.listAllPets()) sum += id + categoryId
  return sum
}
export const explain = (error: PetstoreError): string => {
  switch (error.code) {
    case "rate_limited": return "wait " + error.retryAfterMillis
    case "network": { const none: undefined = error.status; return String(none) }
    default: { const code: ErrorCode | "timeout" | "aborted" | "missing_etag" | "invalid_answer" | "unknown_code" = error.code; return code }
  }
}
// @ts-expect-error: an identifier is a bigint
petstore.getPet(7).catch(() => undefined)
// @ts-expect-error: there are three statuses
petstore.createPet({ name: "Bello", categoryId: 7n, status: "lost" }).catch(() => undefined)
// @ts-expect-error: an error code that does not exist
export const surplus: PetstoreError["code"] = "teapot"

petstore.getPet(7n).catch((error: unknown) => console.log(isPetstoreError(error) ? error.code : "another"))
`

it.each([
  ["in a browser's project", { lib: ["es2022", "dom"], types: [] }],
  ["in a Node project", { lib: ["es2022"], types: ["node"], typeRoots: [join(modulesOfOurs, "@types")] }],
  ["in a bundler's project", { lib: ["es2022", "dom"], types: [], module: "esnext", moduleResolution: "bundler" }],
])("a program compiles and runs %s without effect or core", (name, options) => {
  const project = join(folder, name.replaceAll(/\W/g, "-"))
  mkdirSync(project)
  writeFileSync(join(project, "sample.ts"), sample)
  writeFileSync(join(project, "package.json"), '{"type":"module"}')
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    outDir: "out",
    ...options,
  }
  // `skipLibCheck: false` checks our declarations; those of other packages are excluded.
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { skipLibCheck: false, ...compilerOptions } }))
  const compile = () =>
    execFileSync(process.execPath, [join(modulesOfOurs, "typescript/bin/tsc"), "-p", project], { encoding: "utf8" })
  expect(compile).not.toThrow()
  expect(execFileSync(process.execPath, [join(project, "out/sample.js")], { encoding: "utf8" })).toBe("network\n")
})

it("the package compiles in a project that does not declare fetch and that checks the declarations of libraries", () => {
  const project = join(folder, "no-platform")
  mkdirSync(project)
  const program =
    'import { createClient, PetstoreError } from "@petstore/client"\nexport const client = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "pst_dev_x" })\nexport const codeOf = (error: unknown) => (error instanceof PetstoreError ? error.code : undefined)\n'
  writeFileSync(join(project, "sample.ts"), program)
  const compilerOptions = { module: "nodenext", target: "es2022", lib: ["es2022"], types: [], strict: true, skipLibCheck: false }
  writeFileSync(join(project, "package.json"), '{"type":"module"}')
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }))
  const compile = () =>
    execFileSync(process.execPath, [join(modulesOfOurs, "typescript/bin/tsc"), "-p", project], { encoding: "utf8" })
  expect(compile).not.toThrow()
})

it("the package contains only the files that it needs, and has no dependencies", () => {
  const manifest: unknown = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  expect(manifest).toMatchObject({ sideEffects: false, type: "module", license: "MIT" })
  expect(manifest).not.toHaveProperty("dependencies")
  expect(manifest).not.toHaveProperty("peerDependencies")
  expect(readdirSync(installed).toSorted()).toStrictEqual(["LICENSE", "README.md", "dist", "package.json"])
  for (const file of readdirSync(join(installed, "dist"))) {
    expect(file).toMatch(/^(?:index\.js(?:\.map)?|[a-z-]+\.d\.ts)$/)
    // The source map contains the original sources.
    if (!file.endsWith(".map"))
      expect(readFileSync(join(installed, "dist", file), "utf8")).not.toMatch(/(?:from|import\() ?"(?!\.)/)
  }
})

it("the bundle, as published, is smaller than 12 kB gzipped", () => {
  expect(gzipSync(readFileSync(join(installed, "dist/index.js"))).length).toBeLessThan(12_000)
})
