/** `npm run fuzz -- wire`: for any input, each request gets one response, in order, and only acknowledged pets are stored. */
import { resolve } from "node:path"
import { commandPath } from "@petstore/harness/command"
import { flag, type Given, say, text, WrongUsage, wholeNumber } from "@petstore/harness/command-line"
import { fuzzWire } from "./wire-fuzz.ts"

export const wireUsage = `usage: npm run fuzz -- wire [--seeds A-B] [--seconds N] [--petstore FILE] [--database-url URL] [--keep-going]

Plays seeded conversations with the built service, on its own store: whole and broken messages, cut anywhere, pipelined, left
in the middle, read slowly, and while the service is stopped or its workers are replaced. Stops at the first seed that finds something.

  --seeds A-B        which seeds (default: a random one and the 1999 after it); the same seed plays the same
  --seconds N        stops after so many seconds, and says which seed was the last
  --petstore FILE    the command to fuzz, from another build (default: that of this repository)
  --database-url URL an empty store to fuzz on (default: a new file of SQLite)
  --keep-going       reports every seed in a line or two, and makes none smaller

Exit code 0: nothing found; 1: something found, printed in its smallest form; 2: wrong usage.
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
  const { played, failed } = await fuzzWire(
    { command, databaseUrl: values["database-url"], first, last, shrinkMillis: keepsGoing ? 0 : shrinkMillis },
    {
      failed: ({ seed, findings, transcript }) => {
        if (keepsGoing) say(`seed ${seed}: ${findings.slice(0, 3).join("; ")}`)
        else
          say(
            `seed ${seed}:\n${findings.map((finding) => `  ! ${finding}`).join("\n")}\n\nsmallest form:\n${transcript}\n\nagain: npm run fuzz -- wire --seeds ${seed}`,
          )
        return keepsGoing
      },
      goesOn: () => (performance.now() - startedAt) / 1000 < seconds,
    },
  )
  const took = (performance.now() - startedAt) / 1000
  say(`seeds ${first}-${first + played - 1}: ${played} played, ${failed} found something, ${Math.round(played / took)} a second`)
  return failed === 0 ? 0 : 1
}
