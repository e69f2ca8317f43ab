/**
 * A disk whose fsync takes 10 ms: how long readers wait while
 * creates keep the disk busy, against how long they wait when nobody writes. Prints both.
 */
import { join } from "node:path"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { ours } from "./servers.ts"
import { conditions, makeFolder, optionsOf, table } from "./session.ts"
import { slowFsync } from "./slow-fsync.ts"
import { workloadOf } from "./workloads.ts"
import { measure, requireTools } from "./wrk.ts"

const values = optionsOf({ seconds: "5", "fsync-millis": "10" })
const seconds = Number(values.seconds)

requireTools("wrk", "taskset", "cc")

const folder = makeFolder("slow-disk")
const database = join(folder, "catalogue.db")
const key = await makeCatalogue(database, 100_000)
const disk = slowFsync(folder, Number(values["fsync-millis"]))
const { baseUrl } = await ours().start({ database, output: join(folder, "log"), disk })

const load = (name: string, connections: number, forSeconds: number) =>
  measure({ baseUrl, key, script: workloadOf(name)?.script(100_000, "") ?? "", connections, seconds: forSeconds })

// The first creates show the service how slow the disk is.
await load("create, 64 connections", 16, 2)
const alone = await load("get by id", 8, seconds)
const [beside, creates] = await Promise.all([load("get by id", 8, seconds), load("create, 64 connections", 16, seconds)])
const row = (what: string, { requestsPerSecond, p50Millis, p99Millis, failures }: typeof alone) => [
  ...[what, Math.round(requestsPerSecond), p50Millis.toFixed(2), p99Millis.toFixed(2), failures],
]
const rows = [row("reads alone", alone), row("reads beside creates", beside), row("creates beside reads", creates)]
say(`${conditions(`fsync takes ${values["fsync-millis"]} ms more`)}\n`)
say(table(["load", "requests/s", "p50 ms", "p99 ms", "failed"], rows))
say(`\np99 of reads beside creates: ${(beside.p99Millis / alone.p99Millis).toFixed(2)} times that of reads alone`)
