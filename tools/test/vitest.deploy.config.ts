/** The tests that need nginx, openssl and systemd of the machine, in a run of their own: `npm test` needs nothing but npm. */
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./closing-line.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["{packages,apps,tools}/*/test/**/*.deploy.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", new ClosingLine()],
  },
})
