/** Runs the READMEs' commands that pack the packages before the first release. */
import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { app, root } from "../src/published.ts"

it.each([
  ["core", ["core", "storage"]],
  ["client", ["client"]],
])("the command in the README of %s packs each package with all its documents", (name, packed) => {
  const readme = readFileSync(join(root, "packages", name, "README.md"), "utf8")
  const [, args = ""] = /^npm run pack -- \.\.\/my-app (.*)$/m.exec(readme) ?? []
  expect(args.split(" ")).toEqual(packed)

  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-pack-"))
  const program = join(root, "tools/packaging/src/pack-into.ts")
  const printed = execFileSync(process.execPath, [program, "my-app", ...packed], { cwd: folder.path, encoding: "utf8" })
  const tarballs = printed.trim().split("\n")
  expect(tarballs).toEqual(packed.map((one) => join(folder.path, `my-app/petstore-${one}-${app.version}.tgz`)))
  for (const path of tarballs) {
    const read = (file: string): string => execFileSync("tar", ["-xOzf", path, `package/${file}`], { encoding: "utf8" })
    const files: ReadonlyArray<string> = JSON.parse(read("package.json")).files
    expect(files).toContain("STABILITY.md")
    for (const file of files) if (file.endsWith(".md")) expect(read(file)).not.toBe("")
    // A reader of the package does not have the repository's other files.
    for (const file of ["STABILITY.md", "CHANGELOG.md"]) expect(read(file)).not.toMatch(/\b(?:packages|docs|decisions?)[ /]/)
  }
})

it("npm run pack fails if the folder is missing or a package does not exist", () => {
  const program = join(root, "tools/packaging/src/pack-into.ts")
  const pack =
    (...args: ReadonlyArray<string>) =>
    () =>
      execFileSync(process.execPath, [program, ...args], { stdio: "pipe" })
  expect(pack()).toThrow("npm run pack -- FOLDER")
  expect(pack("folder", "cores")).toThrow("There is no package cores. The packages are client, core, sqljs, storage, petstore.")
})
