import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../src/published.ts"

it("the release uses only scripts that the repository has", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const program = readFileSync(join(root, "tools/packaging/src/release.ts"), "utf8")
  const named = [...program.matchAll(/\bscript\("([^"]+)"/g)].map(([, name]) => name)
  expect(named).toContain("build")
  expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ""))).toEqual([])
})
