/** `npm run torture -- --store citus`: nodes of a cluster that die and that say nothing. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const main = join(import.meta.dirname, "../src/main.ts")
const nodes = ["worker is killed", "worker says nothing", "coordinator is killed"].flatMap((fault) => ["--fault", fault])

it("loses nothing in rounds of every fault of a node", async () => {
  const args = [main, "--store", "citus", "--rounds", "6", "--seed", "20", ...nodes]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^[1-9]\d* acknowledged, 0 lost, 0 doubled, 0 altered, 0 stale$/)
})
