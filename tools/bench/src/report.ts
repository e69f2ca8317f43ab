/** From measurements to a table: medians over the rounds, and how many times as fast ours is. */
import { failuresOf, middle, type Result, ratiosOf, resultsOf } from "./contest.ts"
import type { Server } from "./servers.ts"
import { median, table } from "./session.ts"
import type { Workload } from "./workloads.ts"

const number = (value: number): string => Math.round(value).toLocaleString("en").replaceAll(",", " ")

type Compared = Pick<Server, "name" | "itself" | "rival" | "former">

const namesOf = (results: ReadonlyArray<Result>): ReadonlyArray<string> => [...new Set(results.map(({ workload }) => workload))]

/**
 * Ratios are medians of the ratios of each round: both sides of a ratio were measured seconds apart.
 *
 * @param servers  in the order of the rows; those with a rival are compared
 * @param limit    name of the server that does no work
 */
export const comparison = (results: ReadonlyArray<Result>, servers: ReadonlyArray<Compared>, limit: string): string => {
  const rows = namesOf(results).flatMap((workload) =>
    servers.flatMap(({ name, itself, rival, former }) => {
      const mine = resultsOf(results, workload, name)
      if (mine.length === 0) return []
      const against = (other: string | undefined, measured?: (result: Result) => number): string => {
        if (other === undefined) return ""
        const ratios = ratiosOf(mine, resultsOf(results, workload, other), measured)
        return ratios.length === 0 ? "–" : median(ratios).toFixed(2)
      }
      return [
        [
          workload,
          name,
          number(median(mine.map(({ requestsPerSecond }) => requestsPerSecond))),
          middle(mine, (one) => one.p50Millis),
          middle(mine, (one) => one.p99Millis),
          middle(mine, (one) => one.memoryMib, 0),
          middle(mine, (one) => one.cpuMicros, 1),
          failuresOf(mine),
          ...[rival === undefined ? undefined : (itself ?? name), rival, rival === undefined ? undefined : limit, former].map(
            (other) => against(other),
          ),
          against(former, ({ cpuMicros }) => cpuMicros),
        ],
      ]
    }),
  )
  const ofServer = ["requests/s", "p50 ms", "p99 ms", "peak MiB", "CPU µs", "failed"]
  const compared = ["× itself, silent", "× Fastify, same log", "× limit", "× former", "CPU × former"]
  return table(["workload", "server", ...ofServer, ...compared], rows)
}

/** What the workloads are, a line each. */
export const explanations = (workloads: ReadonlyArray<Workload>): string =>
  workloads.map(({ name, tells, connections }) => `- ${name}: ${tells}, ${connections} at once`).join("\n")

/** From which spread on a ratio says little: the greatest of its rounds against the smallest. */
const spreadMaximum = 1.3

/** The ratios of which the table shows a middle that the rounds do not agree on, with what to do. Empty if all agree. */
export const doubts = (results: ReadonlyArray<Result>, servers: ReadonlyArray<Compared>): string => {
  const lines = namesOf(results).flatMap((workload) =>
    servers.flatMap(({ name, rival, former }) =>
      [rival, former].flatMap((other) => {
        if (other === undefined) return []
        const ratios = ratiosOf(resultsOf(results, workload, name), resultsOf(results, workload, other))
        const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
        if (ratios.length > 1 && most / least <= spreadMaximum) return []
        const range = ratios.length > 1 ? `from ${least.toFixed(2)} to ${most.toFixed(2)}` : "of one round"
        return ratios.length === 0 ? [] : [`- ${workload}: ${name} against ${other}, ${range}`]
      }),
    ),
  )
  if (lines.length === 0) return ""
  return `Not to be relied on, because their rounds do not agree or there is only one. Measure with more --rounds on a machine that does nothing else:\n${lines.join("\n")}`
}
