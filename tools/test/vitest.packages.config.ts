/** The tests that install what would be published into empty projects: slow, and they need the registry. */
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./closing-line.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["tools/packaging/test/**/*.packages.ts"],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: ["default", new ClosingLine()],
  },
})
