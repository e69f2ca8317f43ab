/** One measurement with wrk (Debian's package): a core of its own, every answer checked, failures counted. */
import { execFileSync, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"

/** What one run came to. */
export interface Measurement {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Wrong answers, broken connections and time-outs. */
  readonly failures: number
}

const isHere = (tool: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${tool}`])
    return true
  } catch {
    return false
  }
}

/** The Debian packages of the programs that a bench may need. */
const packages = { wrk: "wrk", taskset: "util-linux", cc: "gcc" } as const

/** Ends the program where this machine lacks one of these. */
export const requireTools = (...tools: ReadonlyArray<keyof typeof packages>): void => {
  const missing = tools.filter((tool) => !isHere(tool))
  if (missing.length === 0) return
  const toInstall = missing.map((tool) => packages[tool]).join(" ")
  process.stderr.write(`The bench needs ${missing.join(" and ")}: apt-get install ${toInstall}\n`)
  process.exit(1)
}

/** Checking every answer costs the generator, not the server; a wrong one is counted, and no answer is looked at twice. */
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
  io.write(string.format("RESULT %d %f %f %f %d\\n", summary.requests, summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, wrongs + broken))
end
`

export const measure = (options: {
  readonly port: number
  readonly key: string
  readonly script: string
  readonly scriptFile: string
  readonly connections: number
  readonly seconds: number
  readonly core: number
}): Promise<Measurement> => {
  writeFileSync(options.scriptFile, frame(options.key, options.script))
  const args = ["-c", String(options.core), "wrk", "-t1", `-c${options.connections}`, `-d${options.seconds}s`]
  return new Promise((resolve, reject) => {
    const wrk = spawn("taskset", [...args, "-s", options.scriptFile, `http://127.0.0.1:${options.port}`])
    let output = ""
    wrk.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    wrk.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    wrk.on("close", () => {
      const [, requests, rate, p50, p99, failures] = /RESULT (\d+) (\S+) (\S+) (\S+) (\d+)/.exec(output) ?? []
      if (rate === undefined) reject(new Error(`wrk said nothing that can be read:\n${output}`))
      else {
        resolve({
          requests: Number(requests),
          requestsPerSecond: Number(rate),
          p50Millis: Number(p50),
          p99Millis: Number(p99),
          failures: Number(failures),
        })
      }
    })
  })
}
