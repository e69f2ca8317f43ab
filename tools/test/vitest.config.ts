/** The one test run of the repository: every test of every workspace, in parallel, ending with the closing line. */
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./closing-line.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["{packages,apps,tools}/*/test/**/*.test.ts", "docs/examples/**/*.test.ts"],
    globalSetup: ["tools/test/src/testing/postgres-servers.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests that kill processes and cut lines meet a build machine that stalls now and then. What fails twice is wrong.
    // biome-ignore lint/style/noProcessEnv: the build machine says so by this variable
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", new ClosingLine()],
    typecheck: { enabled: false },
  },
})
