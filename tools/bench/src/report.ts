/** From measurements to a table: medians over the rounds, and how many times as fast ours is. */
import { median, table } from "./session.ts"
import type { Measurement } from "./wrk.ts"

export interface Result extends Measurement {
  readonly workload: string
  readonly server: string
  readonly round: number
  readonly memoryMib: number
  /** Processor time of the server for one request. */
  readonly cpuMicros: number
}

const number = (value: number): string => Math.round(value).toLocaleString("en").replaceAll(",", " ")

/** Whom a server is compared with, by name. */
interface Compared {
  readonly name: string
  readonly itself?: string
  readonly rival?: string
  readonly former?: string
}

/**
 * Ratios are medians of the ratios of each round: both sides of a ratio were measured seconds apart.
 *
 * @param servers  in the order of the rows; those with a rival are compared
 * @param limit    name of the server that does no work
 */
export const comparison = (results: ReadonlyArray<Result>, servers: ReadonlyArray<Compared>, limit: string): string => {
  const of = (workload: string, server: string) => results.filter((one) => one.workload === workload && one.server === server)
  const ratio = (
    workload: string,
    one: string,
    other: string,
    measured: (result: Result) => number = ({ requestsPerSecond }) => requestsPerSecond,
  ): string => {
    const ratios = of(workload, one).flatMap((mine) => {
      const theirs = of(workload, other).find(({ round }) => round === mine.round)
      return theirs === undefined ? [] : [measured(mine) / measured(theirs)]
    })
    return ratios.length === 0 ? "–" : median(ratios).toFixed(2)
  }
  const workloads = [...new Set(results.map(({ workload }) => workload))]
  const rows = workloads.flatMap((workload) =>
    servers.map(({ name, itself, rival, former }) => {
      const mine = of(workload, name)
      const cell = (pick: (result: Result) => number, digits = 2) => median(mine.map(pick)).toFixed(digits)
      const ratios = rival === undefined ? [] : [itself ?? name, rival, limit].map((other) => ratio(workload, name, other))
      if (former !== undefined) {
        ratios.push(
          ratio(workload, name, former),
          ratio(workload, name, former, ({ cpuMicros }) => cpuMicros),
        )
      }
      const failures = mine.reduce((sum, one) => sum + one.failures, 0)
      return [
        workload,
        name,
        number(median(mine.map(({ requestsPerSecond }) => requestsPerSecond))),
        cell((one) => one.p50Millis),
        cell((one) => one.p99Millis),
        cell((one) => one.memoryMib, 0),
        cell((one) => one.cpuMicros, 1),
        failures,
        ...[0, 1, 2, 3, 4].map((at) => ratios[at] ?? ""),
      ]
    }),
  )
  const ofServer = ["requests/s", "p50 ms", "p99 ms", "peak MiB", "CPU µs", "failed"]
  const compared = ["× itself, silent", "× Fastify, same log", "× limit", "× former", "CPU × former"]
  return table(["workload", "server", ...ofServer, ...compared], rows)
}
