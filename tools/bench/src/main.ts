/**
 * Compares the service with what people would pick instead: interleaved rounds on
 * the same machine and the same Node, the same work, every answer checked. Prints a markdown table of
 * medians and ratios and writes the raw numbers as JSON. Asserts nothing.
 */
import { copyFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue, startPostgresCatalogue } from "./catalogue.ts"
import { comparison, type Result } from "./report.ts"
import { fewServers, formerServers, limit, onPostgres, type Server, servers } from "./servers.ts"
import { conditions, inRounds, machineName, makeFolder, tell, writeJson } from "./session.ts"
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
const folder = makeFolder("bench")
const disk = slowFsync(folder, fsyncMillis)
const original = join(folder, "catalogue.db")
tell(`A catalogue of ${catalogue} animals…`)
const postgres = isPostgres ? await startPostgresCatalogue(catalogue) : undefined
const key = postgres?.key ?? (await makeCatalogue(original, catalogue, before))

const start = async (server: Server, index: number) => {
  const database = postgres === undefined ? join(folder, `${index}.db`) : await postgres.copy(`copy_${index}`)
  const coldFile = join(folder, `${index}.targets`)
  if (postgres === undefined) copyFileSync(original, database)
  if (chosenWorkloads.some(({ isCold }) => isCold)) writeFileSync(coldFile, coldTargets(catalogue, server.cursorOf))
  const running = await server.start({ database, core: 0, output: join(folder, `${index}.log`), disk })
  return { server, running, coldFile }
}

const results: Array<Result> = []
const all: Array<Awaited<ReturnType<typeof start>>> = []
try {
  for (const [index, server] of tested.entries()) all.push(await start(server, index))
  for (const { name: workload, connections, script } of chosenWorkloads) {
    await inRounds(rounds, all, async ({ server, running, coldFile }, round) => {
      const cpuBefore = running.cpuMicros()
      const load = { key, script: script(catalogue, coldFile), connections, seconds }
      const measured = await measure({ baseUrl: running.baseUrl, ...load })
      if (round === 0) return
      const cpuMicros = (running.cpuMicros() - cpuBefore) / measured.requests
      const memoryMib = running.peakMemoryMib()
      results.push({ workload, server: server.name, round, memoryMib, cpuMicros, ...measured })
      tell(`${workload} · ${server.name} · ${Math.round(measured.requestsPerSecond)}/s`)
    })
  }
} finally {
  await postgres?.stop()
}

const machine = conditions(
  machineName,
  isPostgres ? "PostgreSQL beside it" : "SQLite",
  ...(fsyncMillis === 0 ? [] : [`fsync takes ${fsyncMillis} ms more`]),
  `catalogue of ${catalogue}`,
  `${rounds} rounds of ${seconds} s`,
)
say(`${machine}\n\n${comparison(results, tested, limit.name)}`)
writeJson(values.json, { machine, results })
