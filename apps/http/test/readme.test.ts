/** Runs the README's commands on the build in order, and compares their output with the README. `readme.long.ts` uses a copy. */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { follow, readme, root } from "./follow-readme.js"

it("the README shows commands that work, and their output", async () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-readme-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { env } = process
  await follow({
    folder,
    environment: { ...env, PATH: `${join(root, "node_modules/.bin")}:${env["PATH"]}` },
    // The test does not run npm, which would build the project while other tests run.
    typed: (command) =>
      command
        .replace(/^npm ci && npm start$/, "petstore serve")
        .replace(/^npm run quickstart$/, "petstore-quickstart")
        .replaceAll("npx --no petstore", "petstore"),
  })
})

it("the README links to files that exist", () => {
  for (const [, path = ""] of readme.matchAll(/\]\((?!http)([^)#]+)/g)) expect(() => readFileSync(join(root, path))).not.toThrow()
})

// npx treats an option right after the package name as its own: `npx --no petstore --version` would print npm's version.
it("no file shows an npx command that would fetch another project named petstore from npm", () => {
  const shown = globSync(["*.md", "docs/*.md", "{apps,packages,tools}/*/{README.md,src/**/*.{ts,html},bin/*}"], { cwd: root })
  expect(shown.length).toBeGreaterThan(100)
  expect(
    shown.filter((file) =>
      /npx (?!--no (?:-- )?petstore)(?:\S+ )*petstore|npx --no petstore -/.test(readFileSync(join(root, file), "utf8")),
    ),
  ).toEqual([])
})
