/**
 * One, two and four workers on SQLite files: the same load on each, in interleaved rounds, on a disk whose fsync
 * takes 10 ms more (`--fsync-millis 0`: as the disk is). Prints each rate against that of one worker, and the processor time of a request.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { copyCatalogue, makeCatalogue } from "./catalogue.ts"
import { median } from "./report.ts"
import { slowFsync } from "./slow-fsync.ts"
import { startSlowService } from "./slow-service.ts"
import { workloads } from "./workloads.ts"
import { type Measurement, measure, requireTools } from "./wrk.ts"

const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "1,2,4" },
    workload: { type: "string", default: "create, 64 connections" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    "fsync-millis": { type: "string", default: "10" },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const fsyncMillis = Number(values["fsync-millis"])
const animals = 100_000
/** So many keep the processor busy while the disk is slow. */
const warmingConnections = 512
const workload = workloads.find(({ name, isCold }) => name === values.workload && isCold !== true)
if (workload === undefined) {
  process.stderr.write(`No workload is named ${values.workload}.\n`)
  process.exit(2)
}

requireTools("wrk", "taskset", "cc")

interface Round extends Measurement {
  readonly cpuMicros: number
}

const folder = mkdtempSync(join(tmpdir(), "petstore-workers-"))
const catalogue = join(folder, "catalogue.db")
const key = await makeCatalogue(catalogue, animals)
const disk = slowFsync(folder, fsyncMillis)

const start = async (workers: number, port: number) => {
  const database = join(folder, `${workers}.db`)
  copyCatalogue(catalogue, database)
  const service = await startSlowService({ database, key, port, disk, workers })
  const results: Array<Round> = []
  return { workers, port, service, results }
}

const services: Array<Awaited<ReturnType<typeof start>>> = []
try {
  for (const [index, workers] of values.workers.split(",").map(Number).entries()) {
    services.push(await start(workers, 4400 + index))
  }
  const load = (port: number, connections: number, forSeconds: number) =>
    measure({
      ...{ port, key, connections, seconds: forSeconds, core: 1 },
      script: workload.script(animals, ""),
      scriptFile: join(folder, "load.lua"),
    })
  // Each process has to compile what it runs often, and to learn how slow the disk is.
  for (const { port } of services) await load(port, warmingConnections, 5)
  for (let round = 0; round < rounds; round += 1) {
    for (const { port, service, results } of services) {
      const before = service.cpuMicros()
      const measured = await load(port, workload.connections, seconds)
      results.push({ ...measured, cpuMicros: (service.cpuMicros() - before) / (measured.requestsPerSecond * seconds) })
    }
  }
} finally {
  for (const { service } of services) await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

const first = services[0]?.results ?? []
process.stdout.write(
  [
    `${workload.name}; fsync takes ${fsyncMillis} ms more; ${rounds} rounds of ${seconds} s, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`,
    "",
    "| workers | requests/s | × the first | p50 ms | p99 ms | CPU of a request, µs | failed |",
    "|---|--:|--:|--:|--:|--:|--:|",
    ...services.map(({ workers, results }) => {
      const cell = (of: (result: Round, round: number) => number, digits = 2) => median(results.map(of)).toFixed(digits)
      // Both sides of a ratio were measured seconds apart.
      const ratio = cell(({ requestsPerSecond }, round) => requestsPerSecond / (first[round]?.requestsPerSecond ?? Number.NaN))
      const failures = results.reduce((sum, one) => sum + one.failures, 0)
      return `| ${workers} | ${cell((one) => one.requestsPerSecond, 0)} | ${ratio} | ${cell((one) => one.p50Millis)} | ${cell((one) => one.p99Millis)} | ${cell((one) => one.cpuMicros, 0)} | ${failures} |`
    }),
    "",
  ].join("\n"),
)
