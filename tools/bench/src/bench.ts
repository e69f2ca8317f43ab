/** `npm run bench`: runs the comparison with peers, or the measurement named by the first argument, with its own options. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runTool, WrongUsage } from "@petstore/harness/command-line"
import { type Options, options } from "./session.ts"
import { requireTools, type Tool } from "./wrk.ts"

const usage = readFileSync(join(import.meta.dirname, "../usage.txt"), "utf8")

interface Measurement {
  readonly takes: ReadonlyArray<string>
  readonly needs: ReadonlyArray<Tool>
  readonly load: () => Promise<{ readonly run: (options: Options) => Promise<void> }>
}

const timing = ["rounds", "seconds"]
const choice = ["store", "quick", "catalogue", "only", "peers", "before"]

const forLoad: ReadonlyArray<Tool> = ["wrk", "taskset"]
const forSlowDisk: ReadonlyArray<Tool> = [...forLoad, "cc"]

const measurements: Readonly<Record<string, Measurement>> = {
  compare: { takes: [...choice, ...timing, "fsync-millis"], needs: forLoad, load: () => import("./compare.ts") },
  growth: { takes: ["sizes", ...timing], needs: forLoad, load: () => import("./growth.ts") },
  import: { takes: ["animals", "rounds"], needs: ["sqlite3"], load: () => import("./import.ts") },
  search: { takes: ["animals", "rounds"], needs: [], load: () => import("./search.ts") },
  flood: { takes: ["rounds", "before", "only"], needs: [], load: () => import("./flood.ts") },
  engines: { takes: [], needs: [], load: () => import("./engines.ts") },
}

const npm = (script: string): void => {
  const { status } = spawnSync("npm", ["run", "--silent", script], { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error(`npm run ${script} exited with code ${status}`)
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const [first = "", ...others] = process.argv.slice(2)
const [name, args] = Object.hasOwn(measurements, first) ? [first, others] : ["compare", process.argv.slice(2)]
const main = async (given: Options): Promise<number> => {
  const { takes = [], needs = [], load } = measurements[name] ?? {}
  const other = Object.keys(given).find((option) => !takes.includes(option))
  if (other !== undefined) throw new WrongUsage(`--${other}: not an option for ${name}`)
  const isSlower = Number(given["fsync-millis"] ?? 0) > 0
  requireTools(...(isSlower ? forSlowDisk : needs))
  process.stderr.write(
    "Installing the project's tools, unless they are installed (about 500 packages). This can take several minutes.\n",
  )
  npm("tools")
  npm("build:quietly")
  await (await load?.())?.run(given)
  return 0
}
await runTool(usage, options, main, args)
// Stops processes that a measurement leaves running: see `session.ts`.
process.exit()
