/**
 * Compares the service with what people would pick instead: interleaved rounds on
 * the same machine and the same Node, the same work, every answer checked. Prints a markdown table of
 * medians and ratios and writes the raw numbers as JSON. Asserts nothing.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { copyCatalogue, makeCatalogue, startPostgresCatalogue } from "./catalogue.ts"
import { cpuMicrosOf } from "./cpu.ts"
import { type Result, table } from "./report.ts"
import { fewServers, formerServers, limit, onPostgres, peakMemoryMib, type Server, servers, untilItAnswers } from "./servers.ts"
import { slowFsync } from "./slow-fsync.ts"
import { coldTargets, workloads } from "./workloads.ts"
import { measure, requireTools } from "./wrk.ts"

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    seconds: { type: "string" },
    catalogue: { type: "string", default: "1000000" },
    only: { type: "string" },
    peers: { type: "string" },
    before: { type: "string" },
    "fsync-millis": { type: "string", default: "0" },
    json: { type: "string", default: "data/bench.json" },
  },
})

if (values.store === "citus") {
  const { measureDatabases } = await import("./databases.ts")
  await measureDatabases({ rounds: Number(values.rounds ?? 3), share: values.quick ? 0.2 : 1, json: "data/bench-citus.json" })
  process.exit()
}

const fsyncMillis = Number(values["fsync-millis"])
requireTools("wrk", "taskset", ...(fsyncMillis === 0 ? [] : (["cc"] as const)))

const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
const seconds = Number(values.seconds ?? (values.quick ? 1 : 3))
const catalogue = Number(values.quick ? Math.min(100_000, Number(values.catalogue)) : values.catalogue)
const isPostgres = values.store === "postgres"
/** A built checkout of the code before, to be compared with. */
const before = values.before === undefined ? undefined : resolve(values.before)
const chosen = [
  ...(isPostgres ? onPostgres : values.quick ? fewServers : servers),
  ...(before === undefined ? [] : formerServers(before)),
]
const tested = chosen.filter(({ name }) => new RegExp(values.peers ?? "").test(name))
const chosenWorkloads = workloads.filter(({ name }) => new RegExp(values.only ?? "").test(name))
const serverCore = 0
const loadCore = 1

const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const disk = slowFsync(folder, fsyncMillis)
const original = join(folder, "catalogue.db")
process.stderr.write(`A catalogue of ${catalogue} animals…\n`)
const postgres = isPostgres ? await startPostgresCatalogue(catalogue) : undefined
const key = postgres?.key ?? (await makeCatalogue(original, catalogue, before))

interface Running {
  readonly server: Server
  readonly port: number
  readonly pid: number | undefined
  readonly coldFile: string
  readonly stop: () => void
}

const start = async (server: Server, index: number): Promise<Running> => {
  const database = postgres === undefined ? join(folder, `${index}.db`) : await postgres.copy(`copy_${index}`)
  const coldFile = join(folder, `${index}.targets`)
  if (postgres === undefined) copyCatalogue(original, database)
  if (chosenWorkloads.some(({ isCold }) => isCold)) writeFileSync(coldFile, coldTargets(catalogue, server.cursorOf))
  const port = 4300 + index
  const child = server.start({ database, port, core: serverCore, output: join(folder, `${index}.log`), disk })
  await untilItAnswers(port, key)
  return { server, port, pid: child.pid, coldFile, stop: () => child.kill("SIGTERM") }
}

const results: Array<Result> = []
const running: Array<Running> = []
for (const [index, server] of tested.entries()) running.push(await start(server, index))
try {
  for (const workload of chosenWorkloads) {
    for (let round = 0; round <= rounds; round += 1) {
      // The order turns with the round: no server is always the first after a pause.
      for (const { server, port, pid, coldFile } of running
        .map((_, at) => running[(at + round) % running.length] ?? running[at])
        .filter((one) => one !== undefined)) {
        const cpuBefore = cpuMicrosOf([pid ?? 0])
        const measured = await measure({
          port,
          key,
          script: workload.script(catalogue, coldFile),
          scriptFile: join(folder, "load.lua"),
          connections: workload.connections,
          seconds,
          core: loadCore,
        })
        // The round before the first warms up: caches, just-in-time compilation, the write-ahead log. A short one would measure the compiler.
        if (round === 0) continue
        const cpuMicros = (cpuMicrosOf([pid ?? 0]) - cpuBefore) / measured.requests
        results.push({
          workload: workload.name,
          server: server.name,
          round,
          memoryMib: peakMemoryMib(pid),
          cpuMicros,
          ...measured,
        })
        process.stderr.write(`${workload.name} · ${server.name} · ${Math.round(measured.requestsPerSecond)}/s\n`)
      }
    }
  }
} finally {
  for (const { stop } of running) stop()
  await postgres?.stop()
}

const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}, Node ${process.version}, ${isPostgres ? "PostgreSQL beside it" : "SQLite"}${fsyncMillis === 0 ? "" : `, fsync takes ${fsyncMillis} ms more`}, catalogue of ${catalogue}, ${rounds} rounds of ${seconds} s, ${new Date().toISOString().slice(0, 10)}`
process.stdout.write(`${machine}\n\n${table(results, tested, limit.name)}\n`)
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`)
