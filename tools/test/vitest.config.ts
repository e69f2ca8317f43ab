/**
 * The test run of the repository, ending with the closing line. The name of a file says when it runs: `*.unit.ts` and
 * `*.test.ts` with `npm test`, `*.unit.ts` alone with `npm run test:unit`, `*.long.ts` with `npm run test:all`.
 */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./closing-line.ts"
import { LongestFirst } from "./longest-first.ts"

const folders = ["{packages,apps,tools}/*/test/**", "docs/examples/**"]
const named = (kind: string) => folders.map((folder) => `${folder}/*.${kind}.ts`)

/** Tests on a Citus cluster, which comes from a tarball that the environment names and that does not belong to the project. */
const onCitus = folders.map((folder) => `${folder}/citus-*.long.ts`)

// biome-ignore lint/style/noProcessEnv: the one setting of the tests on Citus
const hasCitus = process.env["CITUS_TARBALL"] !== undefined

/**
 * How long `expect.poll` waits for an event: on a busy machine one takes longer than the second that Vitest gives it. This,
 * and the time that a test may take, only end what hangs: a test of a promised time measures it.
 */
const expectation = { poll: { timeout: 60_000 } }

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    // The first is the last to end.
    globalSetup: ["tools/test/src/testing/memory-folder.ts", "tools/test/src/testing/postgres-servers.ts"],
    // Vitest leaves one core to itself, which is half of a machine with two. Two more than cores, since tests wait for their
    // processes; long ones load the cores, and are timed.
    maxWorkers: Math.max(2, availableParallelism()) + (process.argv.includes("long") ? 0 : 2),
    sequence: { sequencer: LongestFirst },
    // Failed tests are not retried.
    retry: 0,
    reporters: ["default", new ClosingLine()],
    projects: [
      // No server, disk or waiting, so a file leaves no state for the next one.
      { test: { name: "unit", include: named("unit"), pool: "threads", isolate: false, testTimeout: 60_000 } },
      // Test files are many and small: each process loads what they share, such as Effect, once.
      {
        test: {
          name: "service",
          include: named("test"),
          isolate: false,
          // The build needs no part of Vite.
          server: { deps: { external: [/\/(?:packages|apps)\/[^/]+\/dist\//] } },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: expectation,
        },
      },
      {
        test: {
          name: "long",
          include: named("long"),
          exclude: hasCitus ? [] : onCitus,
          testTimeout: 900_000,
          hookTimeout: 900_000,
          expect: expectation,
        },
      },
    ],
  },
})
