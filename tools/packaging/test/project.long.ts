/** What another team gets: only the tarballs, compiled by each compiler and run on each Node we promise. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { launchChromium } from "@petstore/test/chromium"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { engines } from "../src/pack.ts"
import { publishedPackages } from "../src/published.ts"
import { programs, promisedOutput } from "./examples.ts"
import { type Compiler, compilers, makeProject, type NodeVersion, nodes, othersPrint, type Project } from "./project.ts"

// Safe: the names of the two tables.
const compilerNames = Object.keys(compilers) as Array<Compiler>
const nodeNames = Object.keys(nodes) as Array<NodeVersion>

let project: Project
beforeAll(() => {
  project = makeProject()
})
afterAll(() => project?.remove())

it.each(publishedPackages)("$name says which Node it needs", ({ name }) => {
  const manifest = JSON.parse(readFileSync(join(project.folder, "node_modules", name, "package.json"), "utf8"))
  expect(manifest.engines).toStrictEqual(engines)
})

/** What a failed compiler or program said, instead of only that it failed. */
const told = <A>(run: () => A): A => {
  try {
    return run()
  } catch (failed) {
    throw failed instanceof Error && "stdout" in failed ? new Error(`${failed.message}\n${failed.stdout}`) : failed
  }
}

describe.each(compilerNames)("compiled by TypeScript %s", (compiler) => {
  beforeAll(() => told(() => project.compile(compiler)))

  describe.each(nodeNames)("on Node %s", (node) => {
    it.each(programs)("%s prints what it says", (program) => {
      expect(told(() => project.run(node, `out-${compiler}/${program}.js`))).toBe(promisedOutput(program))
    })

    it("the other packages are there", () => {
      expect(told(() => project.run(node, `out-${compiler}/others.js`))).toBe(othersPrint)
    })
  })
})

// What the compilers make of the adapter is the same program, so one of the two is enough.
it.each(nodeNames)("the adapter of another team passes the published contract suite on Node %s", (node) => {
  const args = ["run", "--root", ".", "out-7.0/own-repository/json-lines.test.js"]
  expect(told(() => project.run(node, "node_modules/vitest/vitest.mjs", ...args))).toMatch(/Tests .*\d+ passed/)
})

it("core and the client run in Chromium, on a repository of the page's own", async () => {
  const bundle = await rolldown({ input: join(project.folder, "out-7.0/browser.js"), platform: "browser", logLevel: "silent" })
  const { output } = await bundle.generate({ format: "iife", name: "example" })
  await bundle.close()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ content: output[0].code })
    expect(await page.evaluate("example.shown()")).toStrictEqual([
      ['{"id":1,"name":"Bello","categoryId":9007199254740993}'],
      "pet_not_found",
      "network",
    ])
  } finally {
    await browser.close()
  }
})
