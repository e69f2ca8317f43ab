/**
 * Measures one, two and four workers on SQLite files with the same load, in interleaved rounds, on a disk with 10 ms of
 * additional fsync latency (`--fsync-millis 0` adds none). Prints the rates relative to one worker, and the CPU time.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { type Contestant, contest, enter, failuresOf, middle, ratiosOf, resultsOf } from "./contest.ts"
import { ours } from "./servers.ts"
import { conditions, makeFolder, median, type Options, table } from "./session.ts"
import { slowFsync } from "./slow-fsync.ts"
import { workloadOf } from "./workloads.ts"

const animals = 100_000

export const run = async (options: Options): Promise<void> => {
  const { workers = "1,2,4" } = options
  const workload = workloadOf(options.workload ?? "create, 64 connections")
  const [rounds, seconds] = [Number(options.rounds ?? 5), Number(options.seconds ?? 4)]
  const fsyncMillis = Number(options["fsync-millis"] ?? 10)
  const folder = makeFolder("workers")
  const catalogue = join(folder, "catalogue.db")
  const key = await makeCatalogue(catalogue, animals)
  const disk = slowFsync(folder, fsyncMillis)
  const all: Array<Contestant> = []
  for (const name of workers.split(",")) {
    const database = join(folder, `${name}.db`)
    copyFileSync(catalogue, database)
    all.push(await enter(ours(Number(name)), { name, folder, database, key, animals, isCold: false, disk }))
  }
  const results = await contest(all, [workload], {
    rounds,
    seconds,
    // Each process must first compile its hot code and measure the disk. 512 connections keep the CPU busy on a slow disk.
    warmUp: ({ load }) => load({ ...workload, connections: 512 }, 5),
  })
  const first = resultsOf(results, workload.name, all[0]?.name ?? "")
  const rows = all.map(({ name }) => {
    const mine = resultsOf(results, workload.name, name)
    return [
      name,
      middle(mine, (one) => one.requestsPerSecond, 0),
      median(ratiosOf(mine, first)).toFixed(2),
      middle(mine, (one) => one.p50Millis),
      middle(mine, (one) => one.p99Millis),
      middle(mine, (one) => one.cpuMicros, 0),
      failuresOf(mine),
    ]
  })
  say(`${conditions(workload.name, `fsync delayed by ${fsyncMillis} ms`, `${rounds} rounds of ${seconds} s`)}\n`)
  say(table(["workers", "requests/s", "× the first", "p50 ms", "p99 ms", "CPU per request, µs", "failed"], rows))
}
