/** Measures servers together: each has its own store and gets the same load, in interleaved rounds. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Running, Server, StartOptions } from "./servers.ts"
import { inRounds, median, tell } from "./session.ts"
import { coldTargets, type Workload } from "./workloads.ts"
import { type Measurement, measure } from "./wrk.ts"

export interface Contestant extends Pick<Server, "knows"> {
  readonly name: string
  readonly running: Running
  readonly load: (workload: Pick<Workload, "script" | "connections">, seconds: number) => Promise<Measurement>
}

interface Entry extends Omit<StartOptions, "output"> {
  readonly name: string
  readonly folder: string
  readonly key: string
  readonly animals: number
  readonly isCold: boolean
}

export const enter = async (server: Server, { name, folder, key, animals, isCold, ...start }: Entry): Promise<Contestant> => {
  const file = join(folder, name.replaceAll(/\W+/g, "-"))
  const coldFile = `${file}.targets`
  if (isCold) writeFileSync(coldFile, coldTargets(animals, server.cursorOf))
  const running = await server.start({ ...start, output: `${file}.log` })
  const { baseUrl } = running
  return {
    name,
    knows: server.knows,
    running,
    load: ({ script, connections }, seconds) =>
      measure({ baseUrl, key, script: script(animals, coldFile), connections, seconds }),
  }
}

export interface Result extends Measurement {
  readonly workload: string
  readonly server: string
  readonly round: number
  readonly memoryMib: number
  /** The server's CPU time per request. */
  readonly cpuMicros: number
}

interface Rounds<One> {
  readonly rounds: number
  readonly seconds: number
  /** Runs before each measurement. */
  readonly prepare?: (contestant: One) => void
}

/** Measures each workload once per round on every server that supports it, and reports progress. */
export const contest = async <One extends Contestant>(
  contestants: ReadonlyArray<One>,
  workloads: ReadonlyArray<Workload>,
  { rounds, seconds, prepare }: Rounds<One>,
): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  const plan = workloads.map((workload) => ({
    workload,
    servers: contestants.filter(({ knows }) => workload.needs === undefined || knows.includes(workload.needs)),
  }))
  const total = plan.reduce((sum, { servers }) => sum + servers.length * (rounds + 1), 0)
  tell(`${total} measurements of ${seconds} s: about ${Math.ceil((total * (seconds + 0.3)) / 60)} min`)
  let done = 0
  for (const { workload, servers } of plan) {
    await inRounds(rounds, servers, async (contestant, round) => {
      const { name, running, load } = contestant
      prepare?.(contestant)
      done += 1
      if (round === 0) return void (await load(workload, seconds))
      const cpuBefore = running.cpuMicros()
      const measured = await load(workload, seconds)
      const cpuMicros = (running.cpuMicros() - cpuBefore) / measured.requests
      const memoryMib = running.peakMemoryMib()
      results.push({ workload: workload.name, server: name, round, memoryMib, cpuMicros, ...measured })
      tell(`${done} of ${total} · ${workload.name} · ${name} · ${Math.round(measured.requestsPerSecond)}/s`)
    })
  }
  return results
}

export const resultsOf = (results: ReadonlyArray<Result>, workload: string, server: string): ReadonlyArray<Result> =>
  results.filter((one) => one.workload === workload && one.server === server)

/** The ratio of one server's value to another's in each round. The two values were measured seconds apart. */
export const ratiosOf = (
  mine: ReadonlyArray<Result>,
  theirs: ReadonlyArray<Result>,
  measured: (result: Result) => number = ({ requestsPerSecond }) => requestsPerSecond,
): ReadonlyArray<number> =>
  mine.flatMap((one) => {
    const other = theirs.find(({ round }) => round === one.round)
    return other === undefined ? [] : [measured(one) / measured(other)]
  })

export const middle = (results: ReadonlyArray<Result>, pick: (result: Result) => number, digits = 2): string =>
  median(results.map(pick)).toFixed(digits)

export const failuresOf = (results: ReadonlyArray<Result>): number => results.reduce((sum, { failures }) => sum + failures, 0)
