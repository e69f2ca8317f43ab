/** Measures how the time per request, the peak memory and the startup time grow with the catalogue, in interleaved rounds. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { contest, enter, failuresOf, ratiosOf, resultsOf } from "./contest.ts"
import { ours } from "./servers.ts"
import { conditions, makeFolder, median, type Options, table, tell } from "./session.ts"
import { workloads } from "./workloads.ts"

export const run = async (options: Options): Promise<void> => {
  const { sizes = "10000,1000000,10000000" } = options
  const [rounds, seconds] = [Number(options.rounds ?? 3), Number(options.seconds ?? 2)]
  const folder = makeFolder("growth")

  const start = async (animals: number) => {
    tell(`A catalogue of ${animals} animals…`)
    const database = join(folder, `${animals}.db`)
    const key = await makeCatalogue(database, animals)
    const startedAt = performance.now()
    const contestant = await enter(ours, { name: `${animals} animals`, folder, database, key, animals, isCold: true, core: 0 })
    await fetch(`${contestant.running.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })
    return { ...contestant, database, startMillis: performance.now() - startedAt }
  }

  const all: Array<Awaited<ReturnType<typeof start>>> = []
  for (const size of sizes.split(",")) all.push(await start(Number(size)))
  const results = await contest(all, workloads, {
    rounds,
    seconds,
    // The comparison assumes a machine with enough memory for the catalogue, so the files are read beforehand.
    prepare: ({ database }) => void execFileSync("cat", [database], { stdio: ["ignore", "ignore", "inherit"] }),
  })
  const rows: Array<ReadonlyArray<string>> = workloads.map(({ name }) => {
    const base = resultsOf(results, name, all[0]?.name ?? "")
    const cells = all.map((one) => {
      const own = resultsOf(results, name, one.name)
      const failed = failuresOf(own)
      return `${median(ratiosOf(base, own)).toFixed(2)} × the time${failed === 0 ? "" : `, ${failed} failed`}`
    })
    return [name, ...cells]
  })
  rows.push(["peak memory, MiB", ...all.map(({ running }) => running.peakMemoryMib().toFixed(0))])
  rows.push(["start to first response, ms", ...all.map(({ startMillis }) => startMillis.toFixed(0))])
  say(`${conditions(`${rounds} rounds of ${seconds} s`)}\n`)
  say(table(["", ...all.map(({ name }) => name)], rows))
}
