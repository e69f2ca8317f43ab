/** `npm run fuzz -- wire`: each request gets one response, in request order, and only acknowledged pets are stored. */
import { resolve } from "node:path"
import { commandPath } from "@petstore/harness/command"
import { flag, type Given, say, text, WrongUsage, wholeNumber } from "@petstore/harness/command-line"
import { fuzzWire } from "./wire-fuzz.ts"

export const wireUsage = `usage: npm run fuzz -- wire [--seeds A-B] [--seconds N] [--petstore FILE] [--database-url URL] [--keep-going]

Plays seeded conversations with the built service, on its own store: complete and broken messages that are cut anywhere, pipelined,
or abandoned in the middle, and clients that read slowly. In some of them, the service is stopping.
Stops at the first seed that fails.

  --seeds A-B        the seeds (default: a random one and the next 1999); the same seed plays the same scenario
  --seconds N        stop after this many seconds, and print the last seed
  --petstore FILE    the petstore command to fuzz (default: the one from this repository's build)
  --database-url URL an empty store to fuzz on (default: a new SQLite file)
  --keep-going       report every failing seed in a line or two, and do not shrink it

Exit code 0: no seed failed; 1: a seed failed, and its smallest failing scenario is printed; 2: incorrect usage.
`

/** How long to shrink a scenario, in ms. */
const shrinkMillis = 30_000

const rangeOf = (range: string | undefined): readonly [first: number, last: number] => {
  if (range === undefined) {
    const first = Math.floor(Math.random() * 1_000_000)
    return [first, first + 1_999]
  }
  const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? []
  if (first === undefined || Number(first) > Number(last)) throw new WrongUsage(`--seeds: expected A-B, got ${range}`)
  return [Number(first), Number(last)]
}

export const wireOptions = {
  seeds: text,
  seconds: text,
  petstore: text,
  "database-url": text,
  "keep-going": flag,
} as const

export const wireMain = async (values: Given<typeof wireOptions>): Promise<number> => {
  const [first, last] = rangeOf(values.seeds)
  const seconds = wholeNumber("seconds", values.seconds, Number.MAX_SAFE_INTEGER)
  const keepsGoing = values["keep-going"] === true
  const command = values.petstore === undefined ? commandPath("petstore") : resolve(values.petstore)
  say(`seeds ${first}-${last}`)
  const startedAt = performance.now()
  const settings = { command, databaseUrl: values["database-url"], first, last, seconds }
  let played = 0
  let failed = 0
  for await (const failure of fuzzWire({ ...settings, shrinkMillis: keepsGoing ? 0 : shrinkMillis })) {
    played += 1
    if (failure === undefined) continue
    failed += 1
    const { seed, findings, transcript } = failure
    if (keepsGoing) say(`seed ${seed}: ${findings.slice(0, 3).join("; ")}`)
    else {
      say(
        `seed ${seed}:\n${findings.map((finding) => `  ! ${finding}`).join("\n")}\n\nsmallest failing scenario:\n${transcript}\n\nto repeat: npm run fuzz -- wire --seeds ${seed}`,
      )
      break
    }
  }
  const took = (performance.now() - startedAt) / 1000
  say(`seeds ${first}-${first + played - 1}: ${played} played, ${failed} failed, ${Math.round(played / took)} per second`)
  return failed === 0 ? 0 : 1
}
