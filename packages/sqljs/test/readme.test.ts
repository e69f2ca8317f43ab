/** The example of the README runs and prints what the README says. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "./temporary-folder.js"

it("runs the example of the README", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
  const [, program = ""] = /```js\n([\s\S]*?)```/.exec(readme) ?? []
  const [, printed] = /It prints\n\n```\n([\s\S]*?)```/.exec(readme) ?? []
  const path = temporaryFolder()("example.mjs")
  writeFileSync(path, program.replace('"@petstore/sqljs"', JSON.stringify(new URL("../dist/index.js", import.meta.url).href)))
  expect(execFileSync(process.execPath, [path], { cwd: dirname(path), encoding: "utf8" })).toBe(printed)
})
