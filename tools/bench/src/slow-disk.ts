/**
 * A disk whose fsync takes 10 ms: how long readers wait while
 * creates keep the disk busy, against how long they wait when nobody writes. Prints both.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { makeCatalogue } from "./catalogue.ts"
import { slowFsync } from "./slow-fsync.ts"
import { startSlowService } from "./slow-service.ts"
import { workloads } from "./workloads.ts"
import { measure, requireTools } from "./wrk.ts"

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, "fsync-millis": { type: "string", default: "10" } },
})

requireTools("wrk", "taskset", "cc")

const folder = mkdtempSync(join(tmpdir(), "petstore-slow-disk-"))
const database = join(folder, "catalogue.db")
const key = await makeCatalogue(database, 100_000)
const port = 4399
const seconds = Number(values.seconds)

const load = (name: string, connections: number, forSeconds: number) => {
  const workload = workloads.find((one) => one.name === name)
  const script = workload?.script(100_000, "") ?? ""
  const scriptFile = join(folder, `${name.replaceAll(/\W/g, "-")}.lua`)
  return measure({ port, key, script, scriptFile, connections, seconds: forSeconds, core: 1 })
}

const disk = slowFsync(folder, Number(values["fsync-millis"]))
const service = await startSlowService({ database, key, port, disk })
try {
  // The first creates show the service how slow the disk is.
  await load("create, 64 connections", 16, 2)
  const alone = await load("get by id", 8, seconds)
  const [beside, creates] = await Promise.all([load("get by id", 8, seconds), load("create, 64 connections", 16, seconds)])
  const line = (what: string, { requestsPerSecond, p50Millis, p99Millis, failures }: typeof alone) =>
    `| ${what} | ${Math.round(requestsPerSecond)} | ${p50Millis.toFixed(2)} | ${p99Millis.toFixed(2)} | ${failures} |`
  process.stdout.write(
    [
      `fsync takes ${values["fsync-millis"]} ms more, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`,
      "",
      "| load | requests/s | p50 ms | p99 ms | failed |",
      "|---|--:|--:|--:|--:|",
      line("reads alone", alone),
      line("reads beside creates", beside),
      line("creates beside reads", creates),
      "",
      `p99 of reads beside creates: ${(beside.p99Millis / alone.p99Millis).toFixed(2)} times that of reads alone`,
      "",
    ].join("\n"),
  )
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
