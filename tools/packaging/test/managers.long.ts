/** Installs the packed packages with every package manager, as core's README says, and runs the README's first program. */
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { packAll } from "../src/pack.ts"
import { publishedPackages } from "../src/published.ts"

const parent = mkdtempSync(join(tmpdir(), "petstore-managers-"))
const bun = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`
const tools = join(parent, "tools")
const module = (path: string): string => join(tools, "node_modules", path)

/** How to add packages with each manager, and how to run a program. */
const managers = {
  npm: { add: ["npm", "install"], run: ["node"] },
  pnpm: { add: ["node", module("pnpm/bin/pnpm.mjs"), "add"], run: ["node"] },
  // Yarn has no node_modules folder: its own loader finds the packages.
  yarn: {
    add: ["node", module("@yarnpkg/cli-dist/bin/yarn.js"), "add"],
    run: ["node", module("@yarnpkg/cli-dist/bin/yarn.js"), "node"],
  },
  bun: { add: [module(`${bun}/bin/bun`), "add"], run: ["node"] },
} as const

// biome-ignore lint/style/noProcessEnv: the managers need the rest of the environment
const { PATH, ...rest } = process.env
const environment = {
  // The variables of npm would pass this repository's settings on.
  ...Object.fromEntries(Object.entries(rest).filter(([name]) => !/^npm_/i.test(name))),
  PATH: [dirname(process.execPath), PATH].join(delimiter),
  // In CI, yarn does not create a lock file.
  YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
}

const execute = (folder: string, [program, ...args]: ReadonlyArray<string>): string =>
  execFileSync(program ?? "", args, { cwd: folder, encoding: "utf8", env: environment, stdio: ["ignore", "pipe", "pipe"] })

/** Creates a project with the packed packages, and returns its folder. */
const projectOf = (manager: keyof typeof managers, names: ReadonlyArray<string>): string => {
  const folder = join(parent, `${manager}-${names.length}`)
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "my-app", private: true, type: "module" }))
  packAll(folder, { packages: publishedPackages.filter(({ name }) => names.includes(name.replace("@petstore/", ""))) })
  const files = globSync("petstore-*.tgz", { cwd: folder }).map((file) => `./${file}`)
  execute(folder, [...managers[manager].add, ...files])
  return folder
}

beforeAll(() => {
  mkdirSync(tools)
  writeFileSync(join(tools, "package.json"), JSON.stringify({ private: true }))
  execute(tools, ["npm", "install", "--no-audit", "--no-fund", "pnpm@12", "@yarnpkg/cli-dist@4", `${bun}@1`])
})
afterAll(() => rmSync(parent, { recursive: true }))

// Safe: these are the keys of the table.
it.each(Object.keys(managers) as Array<keyof typeof managers>)("%s installs the packages from their files", (manager) => {
  const folder = projectOf(manager, ["client", "core", "sqljs", "storage"])
  const readme = readFileSync(join(import.meta.dirname, "../../../packages/core/README.md"), "utf8")
  const [, program = ""] = /```ts\n(.*?)```/s.exec(readme) ?? []
  for (const engine of ["sqlite", "sqljs"]) {
    writeFileSync(join(folder, `${engine}.mts`), program.replace("sqlite:", `${engine}:`))
    expect(execute(folder, [...managers[manager].run, `${engine}.mts`])).toContain("pending: 1")
  }
})

it("without @petstore/sqljs, storage installs, and names the package that a sql.js store needs", () => {
  const folder = projectOf("pnpm", ["core", "storage"])
  const program = `
    import { backupStore, openPetstore } from "@petstore/storage/promise"
    const told = ({ name, message }) => console.log(name, message)
    await openPetstore("sqljs:pets.db", { migrate: true }).catch(told)
    await backupStore("sqljs:pets.db", "copy.db").catch(told)
    await openPetstore("sqlite:pets.db", { migrate: true })`
  writeFileSync(join(folder, "main.js"), program)
  const sentence = "This store needs @petstore/sqljs, which cannot be loaded: npm install @petstore/sqljs."
  expect(execute(folder, ["node", "main.js"])).toBe(`StorageNotOpened ${sentence}\nBackupFailed ${sentence}\n`)
})
