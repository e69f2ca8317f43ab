/**
 * One, two and four workers on SQLite files: the same load on each, in interleaved rounds, on a disk whose fsync
 * takes 10 ms more (`--fsync-millis 0`: as the disk is). Prints each rate against that of one worker, and the processor time of a request.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { ours, type Running } from "./servers.ts"
import { conditions, inRounds, makeFolder, median, optionsOf, table, tell } from "./session.ts"
import { slowFsync } from "./slow-fsync.ts"
import { workloadOf } from "./workloads.ts"
import { type Measurement, measure, requireTools } from "./wrk.ts"

const values = optionsOf({
  workers: "1,2,4",
  workload: "create, 64 connections",
  rounds: "5",
  seconds: "4",
  "fsync-millis": "10",
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const fsyncMillis = Number(values["fsync-millis"])
const animals = 100_000
/** So many keep the processor busy while the disk is slow. */
const warmingConnections = 512
const workload = workloadOf(values.workload)
if (workload === undefined) {
  tell(`No workload is named ${values.workload}.`)
  process.exit(2)
}

requireTools("wrk", "taskset", "cc")

interface Result extends Measurement {
  readonly cpuMicros: number
}

const folder = makeFolder("workers")
const catalogue = join(folder, "catalogue.db")
const key = await makeCatalogue(catalogue, animals)
const disk = slowFsync(folder, fsyncMillis)

const start = async (workers: number) => {
  const database = join(folder, `${workers}.db`)
  copyFileSync(catalogue, database)
  const running = await ours(workers).start({ database, output: join(folder, `${workers}.log`), disk })
  const results: Array<Result> = []
  return { workers, running, results }
}

const services: Array<Awaited<ReturnType<typeof start>>> = []
for (const workers of values.workers.split(",")) services.push(await start(Number(workers)))
const load = ({ baseUrl }: Running, connections: number, forSeconds: number) =>
  measure({ baseUrl, key, script: workload.script(animals, ""), connections, seconds: forSeconds })
await inRounds(rounds, services, async ({ running, results }, round) => {
  // Each process has to compile what it runs often, and to learn how slow the disk is.
  if (round === 0) return void (await load(running, warmingConnections, 5))
  const before = running.cpuMicros()
  const measured = await load(running, workload.connections, seconds)
  results.push({ ...measured, cpuMicros: (running.cpuMicros() - before) / measured.requests })
})

const first = services[0]?.results ?? []
const rows = services.map(({ workers, results }) => {
  const cell = (of: (result: Result, round: number) => number, digits = 2) => median(results.map(of)).toFixed(digits)
  return [
    workers,
    cell((one) => one.requestsPerSecond, 0),
    // Both sides of a ratio were measured seconds apart.
    cell(({ requestsPerSecond }, round) => requestsPerSecond / (first[round]?.requestsPerSecond ?? Number.NaN)),
    cell((one) => one.p50Millis),
    cell((one) => one.p99Millis),
    cell((one) => one.cpuMicros, 0),
    results.reduce((sum, one) => sum + one.failures, 0),
  ]
})
say(`${conditions(workload.name, `fsync takes ${fsyncMillis} ms more`, `${rounds} rounds of ${seconds} s`)}\n`)
say(table(["workers", "requests/s", "× the first", "p50 ms", "p99 ms", "CPU of a request, µs", "failed"], rows))
