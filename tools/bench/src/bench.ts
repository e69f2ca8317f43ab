/** `npm run bench`: the comparison with peers, or the measurement that is named first, with its own options. */
import { spawnSync } from "node:child_process"
import { runTool, WrongUsage } from "@petstore/harness/command-line"
import { type Options, options } from "./options.ts"

const usage = `usage: npm run bench -- [MEASUREMENT] [options]

  compare    the service beside Fastify, a naive Koa and bare node:http; runs if none is named
               --quick                   a catalogue of 100 000, one round of a second, fewer peers
               --rounds 5 --seconds 3 --catalogue 1000000 --fsync-millis 0 --json data/bench.json
               --store sqlite            or postgres, or citus: what requests cost the databases (CITUS_TARBALL)
               --only REGEXP             only these workloads
               --peers REGEXP            only these servers
               --before FOLDER           also the service of another checkout, which is built
               --picture FILE            draws the ratios to Fastify, each with its log, as SVG
  growth     the service on growing catalogues
               --sizes 10000,1000000,10000000 --rounds 3 --seconds 2
  workers    one, two and four WORKERS on a slow disk
               --workers 1,2,4 --workload "create, 64 connections" --rounds 5 --seconds 4 --fsync-millis 10
  slow-disk  reads beside creates on a slow disk
               --seconds 5 --fsync-millis 10
  import     petstore import against a loop written by hand
               --animals 1000000 --rounds 3
  engines    @petstore/sqljs against node:sqlite

Needs wrk and taskset (Debian: wrk, util-linux), and gcc for a slow disk. Installs the tools of the project the first time.
`

interface Measurement {
  readonly takes: ReadonlyArray<string>
  readonly load: () => Promise<{ readonly run: (options: Options) => Promise<void> }>
}

const comparison = [
  "store",
  "quick",
  "rounds",
  "seconds",
  "catalogue",
  "only",
  "peers",
  "before",
  "json",
  "picture",
  "fsync-millis",
]

const measurements: Readonly<Record<string, Measurement>> = {
  compare: { takes: comparison, load: () => import("./compare.ts") },
  growth: { takes: ["sizes", "rounds", "seconds"], load: () => import("./growth.ts") },
  workers: { takes: ["workers", "workload", "rounds", "seconds", "fsync-millis"], load: () => import("./workers.ts") },
  "slow-disk": { takes: ["seconds", "fsync-millis"], load: () => import("./slow-disk.ts") },
  import: { takes: ["animals", "rounds"], load: () => import("./import.ts") },
  engines: { takes: [], load: () => import("./engines.ts") },
}

const npm = (script: string): void => {
  const { status } = spawnSync("npm", ["run", "--silent", script], { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error(`npm run ${script} ended with ${status}`)
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const [first = "", ...others] = process.argv.slice(2)
const [name, args] = Object.hasOwn(measurements, first) ? [first, others] : ["compare", process.argv.slice(2)]
const main = async (given: Options): Promise<number> => {
  const { takes = [], load } = measurements[name] ?? {}
  const other = Object.keys(given).find((option) => !takes.includes(option))
  if (other !== undefined) throw new WrongUsage(`--${other}: not an option of ${name}`)
  process.stderr.write("Looks whether the tools are installed: the first time that takes minutes\n")
  npm("tools")
  npm("build:quietly")
  await (await load?.())?.run(given)
  return 0
}
await runTool(usage, options, main, args)
// Ends what a measurement leaves running: see `session.ts`.
process.exit()
