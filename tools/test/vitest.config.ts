/** `npm test` runs `*.unit.ts` and `*.test.ts`, `npm run test:unit` only `*.unit.ts`, and `npm run test:all` runs `*.long.ts`. */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./closing-line.ts"
import { LongestFirst } from "./longest-first.ts"

const folders = ["{packages,apps,tools}/*/test/**", "docs/examples/**"]
const named = (kind: string) => folders.map((folder) => `${folder}/*.${kind}.ts`)

/** Tests on a Citus cluster. The environment names the Citus tarball, which is not part of the project. */
const onCitus = folders.map((folder) => `${folder}/citus-*.long.ts`)

// biome-ignore lint/style/noProcessEnv: the only setting of the tests on Citus
const hasCitus = process.env["CITUS_TARBALL"] !== undefined

/** The built files do not need Vite. Projects that run together agree on that: otherwise a file can load two copies of a class. */
const server = { deps: { external: [/\/(?:packages|apps)\/[^/]+\/dist\//] } }

/**
 * How long `expect.poll` waits for an event. On a busy machine, an event takes longer than Vitest's default of one second. This
 * timeout and the test timeouts only end tests that hang. A test that checks a time limit measures the elapsed time.
 */
const expectation = { poll: { timeout: 60_000 } }

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    // The first setup is torn down last.
    globalSetup: ["tools/test/src/testing/memory-folder.ts", "tools/test/src/testing/postgres-servers.ts"],
    // By default, Vitest keeps one core for itself, half of a two-core machine. There are two more workers than cores,
    // because tests wait for their processes. Long tests load the cores and are timed, so they get no extra workers.
    maxWorkers: Math.max(2, availableParallelism()) + (process.argv.includes("long") ? 0 : 2),
    sequence: { sequencer: LongestFirst },
    retry: 0,
    reporters: ["default", new ClosingLine()],
    projects: [
      // These tests use no server or disk and never wait, so a file leaves no state for the next one.
      { test: { name: "unit", include: named("unit"), pool: "threads", isolate: false, server, testTimeout: 60_000 } },
      // There are many small test files, so each process loads shared modules such as Effect only once.
      {
        test: {
          name: "service",
          include: named("test"),
          isolate: false,
          server,
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
