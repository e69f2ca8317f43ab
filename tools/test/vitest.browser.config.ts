/** The tests that drive a real Chromium, in a run of their own: `npm test` needs nothing but npm. */
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./closing-line.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["{packages,apps,tools}/*/test/**/*.browser.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file has a browser of its own: more at once would only wait for each other.
    maxWorkers: 2,
    reporters: ["default", new ClosingLine()],
  },
})
