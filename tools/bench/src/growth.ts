/**
 * How our service bears a growing catalogue: the same load on catalogues of several sizes, in interleaved rounds.
 * Prints each rate against that of the smallest catalogue, the memory after all of it, and the time from start to first answer.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { say } from "@petstore/harness/command-line"
import { makeCatalogue } from "./catalogue.ts"
import { ours } from "./servers.ts"
import { conditions, inRounds, makeFolder, median, optionsOf, table, tell } from "./session.ts"
import { coldTargets, workloads } from "./workloads.ts"
import { type Measurement, measure, requireTools } from "./wrk.ts"

const values = optionsOf({ sizes: "10000,1000000,10000000", rounds: "3", seconds: "2" })
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

requireTools("wrk", "taskset")

const folder = makeFolder("growth")
const server = ours()

const start = async (animals: number) => {
  tell(`A catalogue of ${animals} animals…`)
  const database = join(folder, `${animals}.db`)
  const coldFile = join(folder, `${animals}.targets`)
  const key = await makeCatalogue(database, animals)
  writeFileSync(coldFile, coldTargets(animals, server.cursorOf))
  const startedAt = performance.now()
  const running = await server.start({ database, core: 0, output: join(folder, `${animals}.log`) })
  await fetch(`${running.baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } })
  const startMillis = performance.now() - startedAt
  const rates = new Map<string, ReadonlyArray<Measurement>>(workloads.map(({ name }) => [name, []]))
  return { animals, database, key, coldFile, running, startMillis, rates }
}

const all: Array<Awaited<ReturnType<typeof start>>> = []
for (const size of values.sizes.split(",")) all.push(await start(Number(size)))
for (const { name, connections, script } of workloads) {
  await inRounds(rounds, all, async ({ animals, database, running, key, coldFile, rates }, round) => {
    // What is compared is the service, on a machine with memory for its catalogue: the disk is read beforehand.
    execFileSync("cat", [database], { stdio: ["ignore", "ignore", "inherit"] })
    const load = { key, script: script(animals, coldFile), connections, seconds: round === 0 ? 1 : seconds }
    const measured = await measure({ baseUrl: running.baseUrl, ...load })
    if (round > 0) rates.set(name, [...(rates.get(name) ?? []), measured])
    tell(`${name} · ${animals} · ${Math.round(measured.requestsPerSecond)}/s`)
  })
}
const [smallest] = all
const rows = workloads.map(({ name }) => {
  const base = smallest?.rates.get(name) ?? []
  const cells = all.map(({ rates }) => {
    const own = rates.get(name) ?? []
    const times = median(own.map((one, round) => (base[round]?.requestsPerSecond ?? 0) / one.requestsPerSecond))
    const failed = own.reduce((sum, { failures }) => sum + failures, 0)
    return `${times.toFixed(2)} × the time${failed === 0 ? "" : `, ${failed} failed`}`
  })
  return [name, ...cells]
})
rows.push(["peak memory, MiB", ...all.map(({ running }) => running.peakMemoryMib().toFixed(0))])
rows.push(["start to first answer, ms", ...all.map(({ startMillis }) => startMillis.toFixed(0))])
say(`${conditions(`${rounds} rounds of ${seconds} s`)}\n`)
say(table(["", ...all.map(({ animals }) => `${animals} animals`)], rows))
