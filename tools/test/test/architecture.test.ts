import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The folders of apps and packages, as `npm` sees them. */
const workspaces = globSync("{apps,packages}/*/package.json", { cwd: root }).map((path) => path.replace("/package.json", ""))

it("docs/architecture.md fits one page: 90 lines with its diagrams", () => {
  expect(read("docs/architecture.md").split("\n").length).toBeLessThanOrEqual(90)
})

it("docs/architecture.md has a row for every app and package, and for no other", () => {
  const rows = read("docs/architecture.md").matchAll(/^\| \[?`(?:@petstore\/([\w-]+)|(apps\/\w+))`/gm)
  const named = Array.from(rows, ([, name, app]) => app ?? `packages/${name}`)
  expect(named.toSorted()).toStrictEqual(workspaces.toSorted())
})

describe.each(["apps/http/src", "packages/core/src", "packages/storage/src"])("docs/folders.md, of %s", (path) => {
  const section = read("docs/folders.md").split(`## The folders of \`${path}\``)[1]?.split("\n## ")[0] ?? ""
  const folders = globSync("*/", { cwd: join(root, path), withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )

  it("names every folder", () => {
    expect(folders.length).toBeGreaterThan(3)
    for (const folder of folders) expect(section).toContain(`${folder}/`)
  })
})
