/** Measures how long readers wait on a disk whose fsync takes 10 ms, alone and while create requests keep the disk busy. */
import { join } from "node:path"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { enter } from "./contest.ts"
import { ours } from "./servers.ts"
import { conditions, makeFolder, type Options, table } from "./session.ts"
import { slowFsync } from "./slow-fsync.ts"
import { workloadOf } from "./workloads.ts"
import type { Measurement } from "./wrk.ts"

const animals = 100_000

export const run = async (options: Options): Promise<void> => {
  const [seconds, fsyncMillis] = [Number(options.seconds ?? 5), Number(options["fsync-millis"] ?? 10)]
  const folder = makeFolder("slow-disk")
  const database = join(folder, "catalogue.db")
  const key = await makeCatalogue(database, animals)
  const disk = slowFsync(folder, fsyncMillis)
  const service = await enter(ours, { name: "petstore", folder, database, key, animals, isCold: false, disk })
  const load = (name: string, connections: number, forSeconds: number) =>
    service.load({ ...workloadOf(name), connections }, forSeconds)

  // During the first create requests, the service measures how slow the disk is.
  await load("create, 64 connections", 16, 2)
  const alone = await load("get by id", 8, seconds)
  const [beside, creates] = await Promise.all([load("get by id", 8, seconds), load("create, 64 connections", 16, seconds)])
  const row = (what: string, { requestsPerSecond, p50Millis, p99Millis, failures }: Measurement) => [
    ...[what, Math.round(requestsPerSecond), p50Millis.toFixed(2), p99Millis.toFixed(2), failures],
  ]
  const rows = [row("reads alone", alone), row("reads during creates", beside), row("creates during reads", creates)]
  say(`${conditions(`fsync delayed by ${fsyncMillis} ms`)}\n`)
  say(table(["load", "requests/s", "p50 ms", "p99 ms", "failed"], rows))
  say(`\np99 of reads during creates: ${(beside.p99Millis / alone.p99Millis).toFixed(2)} times the p99 of reads alone`)
}
