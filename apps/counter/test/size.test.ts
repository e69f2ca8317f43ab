/** The size of the store page, as the build writes it. */
import { readdirSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"

const built = new URL("../dist/", import.meta.url)

it("keeps all files of the page under 60 kB compressed", () => {
  const files = readdirSync(built)
  expect(files).toContain("page.js")
  const sizes = files.map((file) => gzipSync(readFileSync(new URL(file, built))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
})
