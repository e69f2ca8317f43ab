/**
 * How our service bears a growing catalogue: the same load on catalogues of several sizes, in interleaved rounds.
 * Prints each rate against that of the smallest catalogue, the memory after all of it, and the time from start to first answer.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { makeCatalogue } from "./catalogue.ts"
import { median } from "./report.ts"
import { ours, peakMemoryMib, untilItAnswers } from "./servers.ts"
import { coldTargets, workloads } from "./workloads.ts"
import { type Measurement, measure, requireTools } from "./wrk.ts"

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "10000,1000000,10000000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

requireTools("wrk", "taskset")

const folder = mkdtempSync(join(tmpdir(), "petstore-growth-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const start = async (animals: number, port: number) => {
  process.stderr.write(`A catalogue of ${animals} animals…\n`)
  const database = join(folder, `${animals}.db`)
  const coldFile = join(folder, `${animals}.targets`)
  const key = await makeCatalogue(database, animals)
  writeFileSync(coldFile, coldTargets(animals, ours.cursorOf))
  const startedAt = performance.now()
  const child = ours.start({ database, port, core: 0, output: "/dev/null" })
  await untilItAnswers(port, key)
  const startMillis = performance.now() - startedAt
  const rates = new Map<string, ReadonlyArray<Measurement>>(workloads.map(({ name }) => [name, []]))
  return { animals, database, port, key, coldFile, child, startMillis, rates }
}

const running: Array<Awaited<ReturnType<typeof start>>> = []
process.once("exit", () => running.forEach(({ child }) => void child.kill("SIGTERM")))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
for (const [index, size] of values.sizes.split(",").entries()) running.push(await start(Number(size), 4400 + index))
for (const { name, connections, script } of workloads) {
  for (let round = 0; round <= rounds; round += 1) {
    for (const { animals, database, port, key, coldFile, rates } of running) {
      // What is compared is the service, on a machine with memory for its catalogue: the disk is read beforehand.
      execFileSync("cat", [database], { stdio: ["ignore", "ignore", "inherit"] })
      const measured = await measure({
        port,
        key,
        script: script(animals, coldFile),
        scriptFile: join(folder, "load.lua"),
        connections,
        seconds: round === 0 ? 1 : seconds,
        core: 1,
      })
      // The round before the first warms up.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), measured])
      process.stderr.write(`${name} · ${animals} · ${Math.round(measured.requestsPerSecond)}/s\n`)
    }
  }
}
const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |\n`
process.stdout.write(`Node ${process.version}, ${rounds} rounds of ${seconds} s, ${new Date().toISOString().slice(0, 10)}\n\n`)
process.stdout.write(row(["", ...running.map(({ animals }) => `${animals} animals`)]))
process.stdout.write(row(["---", ...running.map(() => "--:")]))
const [smallest] = running
for (const { name } of workloads) {
  const base = smallest?.rates.get(name) ?? []
  const cells = running.map(({ rates }) => {
    const own = rates.get(name) ?? []
    const times = median(own.map((one, round) => (base[round]?.requestsPerSecond ?? 0) / one.requestsPerSecond))
    const failed = own.reduce((sum, { failures }) => sum + failures, 0)
    return `${times.toFixed(2)} × the time${failed === 0 ? "" : `, ${failed} failed`}`
  })
  process.stdout.write(row([name, ...cells]))
}
process.stdout.write(row(["peak memory, MiB", ...running.map(({ child }) => peakMemoryMib(child.pid).toFixed(0))]))
process.stdout.write(row(["start to first answer, ms", ...running.map(({ startMillis }) => startMillis.toFixed(0))]))
for (const { child } of running) child.kill("SIGTERM")
