/** Installs the tarballs in another team's project, and compiles and runs it with each supported compiler and Node version. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { launchChromium } from "@petstore/test/chromium"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { engines } from "../src/pack.ts"
import { publishedPackages } from "../src/published.ts"
import { programs, promisedOutput } from "./examples.ts"
import {
  browserShows,
  type Compiler,
  compilers,
  makeProject,
  makeStrictProject,
  type NodeVersion,
  nodes,
  othersPrint,
  type Project,
} from "./project.ts"

// Safe: these are the keys of the two tables.
const compilerNames = Object.keys(compilers) as Array<Compiler>
const nodeNames = Object.keys(nodes) as Array<NodeVersion>

const store = new TemporaryStore()
let service: Service
let project: Project
beforeAll(async () => {
  project = makeProject()
  service = await startService(store.environment)
})
afterAll(async () => {
  project?.remove()
  await service?.stop()
  store.remove()
})

it.each(publishedPackages)("$name declares the Node versions that it supports", ({ name }) => {
  const manifest = JSON.parse(readFileSync(join(project.folder, "node_modules", name, "package.json"), "utf8"))
  expect(manifest.engines).toStrictEqual(engines)
})

/** Adds the output of a failed compiler or program to the error. */
const told = <A>(run: () => A): A => {
  try {
    return run()
  } catch (failed) {
    throw failed instanceof Error && "stdout" in failed ? new Error(`${failed.message}\n${failed.stdout}`) : failed
  }
}

describe.each(compilerNames)("compiled with TypeScript %s", (compiler) => {
  beforeAll(() => told(() => project.compile(compiler)))

  describe.each(nodeNames)("on Node %s", (node) => {
    it.each(programs)("%s prints the output that it promises", (program) => {
      expect(told(() => project.run(node, `out-${compiler}/${program}.js`))).toBe(promisedOutput(program))
    })

    it("the client, exact JSON and sqljs work", () => {
      expect(told(() => project.run(node, `out-${compiler}/others.js`))).toBe(othersPrint)
    })
  })
})

// The compilers turn a program into the same one, so the output of one compiler is enough.
it.each(nodeNames)("what other teams' programs rely on holds on Node %s", (node) => {
  expect(told(() => project.run(node, "out-7.0/importer.js", service.baseUrl, service.key))).toContain("every check")
})

it.each(nodeNames)("another team's adapter passes the published contract suite on Node %s", (node) => {
  // The adapter waits for the disk at each of a thousand writes. On a busy machine, this takes longer than Vitest's 5 s.
  const args = ["run", "--root", ".", "--testTimeout", "60000", "out-7.0/own-repository/json-lines.test.js"]
  expect(told(() => project.run(node, "node_modules/vitest/vitest.mjs", ...args))).toMatch(/Tests .*\d+ passed/)
})

it.each(["22.16", "24", "26"] as const)("every store passes the contract suites on Node %s", async (node) => {
  const database = await newPostgresDatabase()
  const output = told(() => project.run(node, "out-7.0/suites.js", database))
  for (const engine of ["memory", "sqlite", "sqljs", "postgres"]) expect(output).toContain(`OrderRepository on ${engine}`)
  expect(output).toMatch(/pass [0-9]{3,}\n.*fail 0/)
})

it.each(nodeNames)("an adapter without functions fails the contract suite with its own errors on Node %s", (node) => {
  const failed = (): string => {
    try {
      return project.run(node, "out-7.0/nothing.js")
    } catch (thrown) {
      return thrown instanceof Error && "stdout" in thrown ? String(thrown.stdout) : String(thrown)
    }
  }
  const printed = failed()
  expect(printed).toContain("pets.insert is not a function")
  expect(printed).toMatch(/cancelled 0/)
})

it("Jest runs the contract suite", () => {
  copyFileSync(join(project.folder, "lines.test.cjs"), join(project.folder, "out-7.0/lines.test.cjs"))
  const args = ["--testMatch", "**/out-7.0/lines.test.cjs", "--transform", "{}", "--testTimeout", "60000"]
  told(() => project.run("26", "--experimental-vm-modules", "node_modules/jest/bin/jest.js", ...args))
})

it("core and the client run in Chromium, with a repository that the page implements", async () => {
  const bundle = await rolldown({ input: join(project.folder, "out-7.0/browser.js"), platform: "browser", logLevel: "silent" })
  const { output } = await bundle.generate({ format: "iife", name: "example" })
  await bundle.close()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ content: output[0].code })
    expect(await page.evaluate("example.shown()")).toStrictEqual(browserShows)
  } finally {
    await browser.close()
  }
})

it.each(compilerNames)("TypeScript %s accepts the project with the module resolution of bundlers", (compiler) => {
  told(() => project.check(compiler, "-p", "tsconfig.json", "--noEmit", "--module", "esnext", "--moduleResolution", "bundler"))
})

// The types of Bun do not pass the check of all declarations.
it.each(compilerNames)("TypeScript %s accepts Bun's fetch as that of the client", (compiler) => {
  told(() => project.check(compiler, "-p", "bun.json", "--noEmit", "--skipLibCheck"))
})

describe.each(["bun", "deno"] as const)("on %s", (engine) => {
  const run = (...args: ReadonlyArray<string>) =>
    told(() => project.runOther(engine, "run", ...(engine === "deno" ? ["--allow-all"] : []), ...args))

  it.each(["with-effect", "without-effect"])("%s prints the output that it promises", (program) => {
    expect(run(`out-7.0/${program}.js`)).toBe(promisedOutput(program))
  })

  it("what other teams' programs rely on holds", () => {
    expect(run("out-7.0/importer.js", service.baseUrl, service.key)).toContain("every check")
  })

  it("every store that needs no server works", () => {
    expect(run("out-7.0/stores.js", `./${engine}`)).toBe("every store\n")
  })

  /** Runs tests with the engine's own runner. Returns what it reports. Bun allows a test 5 s, which is short on a busy machine. */
  const test = (program: string): string => {
    copyFileSync(join(project.folder, `out-7.0/${program}.js`), join(project.folder, `out-7.0/${program}.test.js`))
    const report = `${engine}-${program}.xml`
    const options =
      engine === "deno"
        ? ["--allow-all", "--no-check", `--junit-path=${report}`]
        : ["--timeout=60000", "--reporter=junit", `--reporter-outfile=${report}`]
    told(() => project.runOther(engine, "test", ...options, `./out-7.0/${program}.test.js`))
    return readFileSync(join(project.folder, report), "utf8")
  }

  it("every store that needs no server passes the contract suites in the engine's own test runner", () => {
    const report = test("suites")
    for (const store of ["memory", "sqlite", "sqljs"]) expect(report).toContain(`OrderRepository on ${store}`)
    expect(report).toMatch(/^<testsuites .*tests="[0-9]{4}".* failures="0"/m)
  })

  it("an adapter without functions fails the contract suite with its own errors", () => {
    expect(() => test("nothing")).toThrow("pets.insert is not a function")
  })

  it("core and the client work with a repository that the program implements", () => {
    const program = `import { shown } from "./out-7.0/browser.js"; console.log(JSON.stringify(await shown()))`
    writeFileSync(join(project.folder, "show.mjs"), program)
    expect(JSON.parse(run("show.mjs"))).toStrictEqual(browserShows)
  })
})

it("core and the client run in workerd", async () => {
  const bundle = await rolldown({ input: join(project.folder, "out-7.0/worker.js"), platform: "browser", logLevel: "silent" })
  await bundle.write({ file: join(project.folder, "worker.js"), format: "esm" })
  await bundle.close()
  told(() => project.runOther("workerd", "test", "workerd.capnp"))
})

it("a pnpm project, in which a package sees only its declared dependencies, compiles and runs", () => {
  const strict = makeStrictProject(project)
  try {
    told(() => strict.compile("7.0"))
    for (const program of programs) expect(told(() => strict.run("26", `out-7.0/${program}.js`))).toBe(promisedOutput(program))
    expect(told(() => strict.run("26", "out-7.0/others.js"))).toBe(othersPrint)
    expect(told(() => strict.run("26", "out-7.0/importer.js", service.baseUrl, service.key))).toContain("every check")
    for (const node of ["22.16", "26"] as const) {
      expect(told(() => strict.run(node, "out-7.0/contract.js"))).toMatch(/pass [0-9]{3}\n.*fail 0/)
    }
  } finally {
    strict.remove()
  }
})

it("a single-file bundle runs sql.js if it passes the WebAssembly bytes, and otherwise says that it must pass them", async () => {
  const program = `
    import { DatabaseSync, useBinary } from "@petstore/sqljs"
    import binary from "@petstore/sqljs/sql-wasm-debug.wasm"
    if (process.argv[2] === "given") useBinary(binary)
    try {
      console.log(new DatabaseSync(":memory:").prepare("SELECT 1 + 1 AS two").get().two)
    } catch ({ message }) {
      console.log(message)
    }`
  writeFileSync(join(project.folder, "bundled.js"), program)
  const input = join(project.folder, "bundled.js")
  const bundle = await rolldown({ input, platform: "node", moduleTypes: { ".wasm": "binary" }, logLevel: "silent" })
  await bundle.write({ file: join(project.folder, "alone/bundle.js"), format: "esm" })
  await bundle.close()
  expect(told(() => project.run("26", "alone/bundle.js", "given"))).toBe("2\n")
  expect(told(() => project.run("26", "alone/bundle.js"))).toContain("pass the bytes")
})
