/** Measures a server with wrk (Debian's package), which runs on its own core, checks every response and counts failures. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

export interface Measurement {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Wrong responses, broken connections and timeouts. */
  readonly failures: number
}

/** The Debian packages for the programs that the benchmark needs. */
const packages = { wrk: "wrk", taskset: "util-linux", cc: "gcc", sqlite3: "sqlite3" } as const

export type Tool = keyof typeof packages

export const requireTools = (...tools: ReadonlyArray<Tool>): void => {
  const missing = tools.filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0)
  if (missing.length === 0) return
  const toInstall = missing.map((tool) => packages[tool]).join(" ")
  process.stderr.write(`The benchmark needs ${missing.join(" and ")}: apt-get install ${toInstall}\n`)
  process.exit(1)
}

/** The script for wrk. It checks every response. The check takes CPU time from the load generator, not from the server. */
const frame = (key: string, script: string): string => `
wrk.headers["Authorization"] = "Bearer ${key}"
wrk.headers["Content-Type"] = "application/json"
wrong = 0
local threads = {}
function setup(thread) threads[#threads + 1] = thread end
function init(args)
${script}
end
function response(status, headers, body) if not right(status, body) then wrong = wrong + 1 end end
function done(summary, latency)
  local wrongs = 0
  for _, thread in ipairs(threads) do wrongs = wrongs + thread:get("wrong") end
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"requestsPerSecond":%f,"p50Millis":%f,"p99Millis":%f,"failures":%d}\\n',
    summary.requests, summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, wrongs + broken))
end
`

export const measure = async (options: {
  readonly baseUrl: string
  readonly key: string
  readonly script: string
  readonly connections: number
  readonly seconds: number
}): Promise<Measurement> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-wrk-"))
  const scriptFile = join(folder.path, "load.lua")
  writeFileSync(scriptFile, frame(options.key, options.script))
  // The servers run on the first core, and the load on the second.
  const load = ["-c", "1", "wrk", "-t1", `-c${options.connections}`, `-d${options.seconds}s`, "-s", scriptFile]
  const { stdout, stderr } = await promisify(execFile)("taskset", [...load, new URL(options.baseUrl).origin])
  const [, result] = /^RESULT (.*)$/m.exec(stdout) ?? []
  if (result === undefined) throw new Error(`the output of wrk cannot be parsed:\n${stdout}${stderr}`)
  return JSON.parse(result)
}
