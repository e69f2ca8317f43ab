/** Turns measurements into a table: medians over the rounds, and ratios. */
import { failuresOf, middle, type Result, ratiosOf, resultsOf } from "./contest.ts"
import type { Server } from "./servers.ts"
import { median, table } from "./session.ts"
import type { Workload } from "./workloads.ts"

const number = (value: number): string => Math.round(value).toLocaleString("en").replaceAll(",", " ")

type Compared = Pick<Server, "name" | "itself" | "rival" | "former">

const namesOf = (results: ReadonlyArray<Result>): ReadonlyArray<string> => [...new Set(results.map(({ workload }) => workload))]

/** A column of the comparison: an explanation for the reader, and the cell for one server. */
interface Column {
  readonly title: string
  readonly tells: string
  readonly cell: (mine: ReadonlyArray<Result>, server: Compared) => string
}

/** Every ratio is the median of the ratios in the rounds. The two values in a ratio were measured seconds apart. */
const columnsOf = (results: ReadonlyArray<Result>, limit: string): ReadonlyArray<Column> => {
  const against = (mine: ReadonlyArray<Result>, other: string | undefined, measured?: (result: Result) => number): string => {
    if (other === undefined) return ""
    const ratios = ratiosOf(mine, resultsOf(results, mine[0]?.workload ?? "", other), measured)
    return ratios.length === 0 ? "–" : median(ratios).toFixed(2)
  }
  const measured: ReadonlyArray<Column> = [
    {
      title: "requests/s",
      tells: "median of the rounds, like all other columns",
      cell: (mine) => number(median(mine.map(({ requestsPerSecond }) => requestsPerSecond))),
    },
    { title: "p50 ms", tells: "half of the requests were faster", cell: (mine) => middle(mine, (one) => one.p50Millis) },
    { title: "p99 ms", tells: "99 of 100 requests were faster", cell: (mine) => middle(mine, (one) => one.p99Millis) },
    { title: "peak MiB", tells: "peak memory since the start", cell: (mine) => middle(mine, (one) => one.memoryMib, 0) },
    { title: "CPU µs", tells: "CPU time per request", cell: (mine) => middle(mine, (one) => one.cpuMicros, 1) },
    { title: "failed", tells: "wrong responses and broken connections", cell: (mine) => String(failuresOf(mine)) },
    {
      title: "× itself, silent",
      tells: "its rate divided by the rate of the same service without a log",
      cell: (mine, { name, itself, rival }) => against(mine, rival === undefined ? undefined : (itself ?? name)),
    },
    {
      title: "× Fastify, same log",
      tells: "its rate divided by the rate of Fastify with the same log setting: 2.00 is twice as fast",
      cell: (mine, { rival }) => against(mine, rival),
    },
    {
      title: "× limit",
      tells: `its rate divided by the rate of ${limit}, which does no work`,
      cell: (mine, { rival }) => against(mine, rival === undefined ? undefined : limit),
    },
  ]
  const beside: ReadonlyArray<Column> = [
    {
      title: "× former",
      tells: "its rate divided by the rate of the other checkout",
      cell: (mine, { former }) => against(mine, former),
    },
    {
      title: "CPU × former",
      tells: "its CPU time divided by that of the other checkout",
      cell: (mine, { former }) => against(mine, former, ({ cpuMicros }) => cpuMicros),
    },
  ]
  return results.some(({ server }) => server.startsWith("former ")) ? [...measured, ...beside] : measured
}

/** The table, and one line per column. Compares a server with its rival, if any. `limit` names the server that does no work. */
export const comparison = (results: ReadonlyArray<Result>, servers: ReadonlyArray<Compared>, limit: string): string => {
  const columns = columnsOf(results, limit)
  const rows = namesOf(results).flatMap((workload) =>
    servers.flatMap((server) => {
      const mine = resultsOf(results, workload, server.name)
      return mine.length === 0 ? [] : [[workload, server.name, ...columns.map(({ cell }) => cell(mine, server))]]
    }),
  )
  const legend = columns.map(({ title, tells }) => `- ${title}: ${tells}`)
  return [
    table(["workload", "server", ...columns.map(({ title }) => title)], rows),
    ...["", ...legend, "- –: not measured"],
  ].join("\n")
}

export const explanations = (workloads: ReadonlyArray<Workload>): string =>
  workloads.map(({ name, tells, connections }) => `- ${name}: ${tells}, ${connections} at a time`).join("\n")

/** The maximum spread of a reliable ratio: its largest value in any round divided by its smallest. */
const spreadMaximum = 1.3

const more = "Measure with more --rounds on an otherwise idle machine"

/** Returns a warning about ratios whose rounds do not agree, with advice, or an empty text if all rounds agree. */
export const doubts = (results: ReadonlyArray<Result>, servers: ReadonlyArray<Compared>): string => {
  if (!results.some(({ round }) => round > 1)) {
    return `Do not rely on the ratios in this table: in another run of one round, a ratio can be half as large or twice as large. ${more}.`
  }
  const lines = namesOf(results).flatMap((workload) =>
    servers.flatMap(({ name, rival, former }) =>
      [rival, former].flatMap((other) => {
        if (other === undefined) return []
        const ratios = ratiosOf(resultsOf(results, workload, name), resultsOf(results, workload, other))
        const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
        if (ratios.length === 0 || most / least <= spreadMaximum) return []
        return [`- ${workload}: ${name} compared with ${other}, from ${least.toFixed(2)} to ${most.toFixed(2)}`]
      }),
    ),
  )
  return lines.length === 0 ? "" : `Do not rely on these ratios, because their rounds do not agree. ${more}:\n${lines.join("\n")}`
}
