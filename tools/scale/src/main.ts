/** `npm run scale`: calculates the machines for a catalogue and a load from measured costs. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Given, runTool, say, text, WrongUsage, wholeNumber } from "@petstore/harness/command-line"
import { type Capacity, capacityOf, type Prices } from "./capacity.ts"
import { costsOf, errorsOf, type Measured } from "./costs.ts"
import { pictureOf, short } from "./picture.ts"
import type { Load } from "./simulation.ts"

const usage = `usage: npm run scale -- [options]

Simulates requests on the service, the coordinator and the workers, with the costs measured by npm run bench -- --store
citus. Prints the machines that a catalogue and a load need, the first bottleneck, and the change that removes it.

  --animals N      the number of animals in one catalogue (default: six examples, up to 10 billion)
  --requests N     the requests per second for that catalogue (default: 1000)
  --seed S         the same seed results in the same run (default: 1)
  --measured FILE  the measured costs (default: the costs in docs/scaling.md)
  --prices FILE    the monthly prices of a core and of a gigabyte of memory and disk
  --svg FILE       write a chart to this file

Exit code 0: success; 2: incorrect usage.
`

const fileBeside = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** The mix for a shop: most callers browse, few buy. */
const mix = {
  "page of 20": 0.45,
  "page of 100 by status": 0.05,
  get: 0.35,
  "create in groups": 0.08,
  "create with a key": 0.01,
  order: 0.035,
  complete: 0.025,
} as const

/** The examples: the animals in a catalogue, and its requests per second. */
const ladder = [
  [1e6, 1_000],
  [1e7, 5_000],
  [1e8, 50_000],
  [1e9, 100_000],
  [1e9, 400_000],
  [1e10, 20_000],
] as const

const line = ({ animals, load, engine, plan, outcome, diskGigabytes, connections, isPooled, costPerMonth, first }: Capacity) =>
  [
    short(animals),
    load.perSecond,
    engine,
    plan.services,
    plan.coordinatorCores,
    plan.workers === 0 ? "–" : `${plan.workers} × ${plan.coresOfWorker} cores, ${plan.shards} shards`,
    `${connections}${isPooled ? ", pooled" : ""}`,
    diskGigabytes.toFixed(diskGigabytes < 10 ? 1 : 0),
    outcome.p99Millis.toFixed(1),
    Math.round(costPerMonth),
    `${first.what}: ${Math.round(first.used * 100)} %; then ${first.remedy}`,
  ].join(" | ")

const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A // Safe for our own files and for an operator's copies of them.

const options = { animals: text, requests: text, seed: text, measured: text, prices: text, svg: text } as const

const main = async (values: Given<typeof options>): Promise<number> => {
  const measured = readJson<Measured>(values.measured ?? fileBeside("measured.json"))
  const prices = readJson<Prices>(values.prices ?? fileBeside("prices.json"))
  if (values.requests !== undefined && values.animals === undefined) throw new WrongUsage("--requests needs --animals")
  const chosen =
    values.animals === undefined
      ? ladder
      : [[wholeNumber("animals", values.animals, 1e6), wholeNumber("requests", values.requests, 1_000)] as const]
  const seed = wholeNumber("seed", values.seed, 1)
  const costs = costsOf(measured)
  const capacities: Array<Capacity> = []
  const lines = chosen.map(([animals, perSecond]) => {
    const capacity = capacityOf(costs, prices, animals, { perSecond, mix } satisfies Load, seed)
    if (capacity === undefined)
      return `${short(animals)} | ${perSecond} | none is sufficient: every page queries every shard, so more workers do not help; serve pages from a cache that honours ETag${" |".repeat(8)}`
    capacities.push(capacity)
    return line(capacity)
  })
  const head = `animals | requests/s | engine | service processes | server or coordinator cores | workers | connections | disk, GB | p99, ms | ${prices.currency} per month | tightest resource`
  const rule = head.replace(/[^|]+/g, " --- ")
  say(`| ${head} |\n|${rule}|`)
  for (const line of lines) say(`| ${line} |`)
  say(`\nPredictions from two workers, compared with measurements (${measured.machine}):\n`)
  say("| | workers | predicted, µs | measured, µs | error |\n|---|--:|--:|--:|--:|")
  for (const { kind, workers, predicted, measured: seen, error } of errorsOf(measured)) {
    say(`| ${kind} | ${workers} | ${Math.round(predicted)} | ${seen} | ${Math.round(error * 100)} % |`)
  }
  if (values.svg !== undefined) writeFileSync(values.svg, pictureOf(capacities))
  return 0
}

await runTool(usage, options, main)
