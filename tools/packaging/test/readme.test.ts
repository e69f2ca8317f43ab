/** The programs of the READMEs of core and storage run, and print what these say. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { root } from "../src/published.ts"

const programsOf = (name: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, "packages", name, "README.md"), "utf8").matchAll(/```ts\n(.*?)```/gs)].map(
    ([, program = ""]) => program,
  )
const programs = programsOf("core")

/** Inside this workspace, so that the packages are found; never committed. */
const modules = join(import.meta.dirname, "../dist/readme")
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "petstore-readme-"))
  mkdirSync(modules, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

const printed = (program: string, name: string): string => {
  const file = join(modules, `${name}.ts`)
  writeFileSync(file, program)
  return execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8" })
}

it("keeps a pet in a file, in plain promises", () => {
  expect(programs).toHaveLength(2)
  const pet = "{ id: 1n, name: 'Bello', categoryId: 9007199254740993n }"
  // However wide the console is.
  expect(printed(programs[0] ?? "", "promises").replaceAll(/\s+/g, " ")).toBe(
    `{ ok: true, value: ${pet} } { ok: true, value: { items: [ [Object] ] } } `,
  )
})

it.each([
  ["in memory", programs[1] ?? ""],
  ["in a file", programsOf("storage")[0] ?? ""],
])("keeps a pet %s, with Effect, and shows it", (_, program) => {
  const [, shown = ""] = /console\.log\(pet\) \/\/ (.*)\n/.exec(program) ?? []
  expect(printed(program, "effect").replaceAll("'", '"')).toBe(`${shown}\n`)
})
