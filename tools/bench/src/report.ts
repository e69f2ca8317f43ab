/** From measurements to a table: medians over the rounds, and how many times as fast ours is. */
import type { Measurement } from "./wrk.ts"

export interface Result extends Measurement {
  readonly workload: string
  readonly server: string
  readonly round: number
  readonly memoryMib: number
}

/** The middle of the values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

const number = (value: number): string => Math.round(value).toLocaleString("en").replaceAll(",", " ")

/**
 * Ratios are medians of the ratios of each round: both sides of a ratio were measured seconds apart.
 *
 * @param ours   name of the server that is compared
 * @param rival  name of the server it is compared with
 * @param limit  name of the server that does no work
 */
export const table = (results: ReadonlyArray<Result>, ours: string, rival: string, limit: string): string => {
  const of = (workload: string, server: string) => results.filter((one) => one.workload === workload && one.server === server)
  const ratio = (workload: string, other: string): string => {
    const ratios = of(workload, ours).flatMap((mine) => {
      const theirs = of(workload, other).find(({ round }) => round === mine.round)
      return theirs === undefined ? [] : [mine.requestsPerSecond / theirs.requestsPerSecond]
    })
    return ratios.length === 0 ? "–" : median(ratios).toFixed(2)
  }
  const workloads = [...new Set(results.map(({ workload }) => workload))]
  const servers = [...new Set(results.map(({ server }) => server))]
  const rows = workloads.flatMap((workload) =>
    servers.map((server) => {
      const mine = of(workload, server)
      const cell = (pick: (result: Result) => number, digits = 2) => median(mine.map(pick)).toFixed(digits)
      const ratios = server === ours ? `${ratio(workload, rival)} | ${ratio(workload, limit)}` : " | "
      const failures = mine.reduce((sum, one) => sum + one.failures, 0)
      return `| ${workload} | ${server} | ${number(median(mine.map(({ requestsPerSecond }) => requestsPerSecond)))} | ${cell((one) => one.p50Millis)} | ${cell((one) => one.p99Millis)} | ${cell((one) => one.memoryMib, 0)} | ${failures} | ${ratios} |`
    }),
  )
  return [
    `| workload | server | requests/s | p50 ms | p99 ms | peak MiB | failed | × ${rival} | × limit |`,
    "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ...rows,
  ].join("\n")
}
