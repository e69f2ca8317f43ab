/** `npm run torture`: checks that the service does not lose any pet or order under load and repeated faults. */
import { flag, type Given, runTool, say, text, texts, WrongUsage, wholeNumber } from "@petstore/harness/command-line"
import { faults } from "./faults.ts"
import { header, line, mutantLine, totals } from "./report.ts"
import { isStoreName, mutantNames, stores } from "./stores.ts"
import { type Settings, torture } from "./torture.ts"

const usage = `usage: npm run torture -- [options]

Runs the built service under load. Each round injects a fault: it kills the service, fills its disk, breaks its fsync, moves its
clock, or does one of the other things below.
After each round every acknowledged pet and order must exist exactly once, with its acknowledged values. Every pet must have
the status that its orders imply.

  --rounds N     the number of rounds (default: 20); each takes one or two seconds
  --seed S       the seed for the faults and the load; the same seed results in the same plan (default: random; it is printed)
  --store NAME   the service's store: ${Object.keys(stores).join(", ")} (default: sqlite)
  --fault NAME   only this fault; may be repeated: ${faults.map(({ name }) => name).join(", ")}
  --require NEED fail if a fault is left out because NEED is missing: strace, small disk; may be repeated
  --mutants      instead: break the adapter in every known way, and check that each is caught
  --mutant NAME  instead: break the adapter only in this way: ${mutantNames("standby").join(", ")}

Exit code 0: nothing was lost, doubled, altered, resurrected or stale, and no other promise was broken (mutants: all were caught);
1: otherwise; 2: incorrect usage.
`

const options = {
  rounds: text,
  seed: text,
  store: text,
  fault: texts,
  require: texts,
  mutant: text,
  mutants: flag,
} as const

const main = async (given: Given<typeof options>): Promise<number> => {
  const { store = "sqlite", fault: only, require: required = [] } = given
  const unknown = only?.find((fault) => !faults.some(({ name }) => name === fault))
  if (unknown !== undefined) throw new WrongUsage(`--fault: there is no fault "${unknown}"`)
  if (!isStoreName(store)) throw new WrongUsage(`--store: there is no store "${store}"`)
  const mutants = given.mutant !== undefined ? [given.mutant] : given.mutants === true ? mutantNames(store) : []
  if (given.mutant !== undefined && !mutantNames(store).includes(given.mutant)) {
    throw new WrongUsage(`--mutant: there is no mutant "${given.mutant}"`)
  }
  const rounds = wholeNumber("rounds", given.rounds, 20)
  const seed = wholeNumber("seed", given.seed, Math.floor(Math.random() * 2 ** 31))
  const settings = { store, rounds, seed, ...(only === undefined ? {} : { only }) }
  say(`seed ${seed}, ${store}`)
  return mutants.length > 0 ? catchAll(mutants, settings) : runOnce(settings, required)
}

const catchAll = async (mutants: ReadonlyArray<string>, settings: Settings): Promise<number> => {
  let escaped = 0
  for (const mutant of mutants) {
    const { failed } = await torture({ ...settings, mutant })
    if (failed === undefined) escaped += 1
    say(mutantLine(mutant, failed))
  }
  say(`${mutants.length - escaped} caught, ${escaped} escaped`)
  return escaped === 0 ? 0 : 1
}

const runOnce = async (settings: Settings, required: ReadonlyArray<string>): Promise<number> => {
  let isShort = false
  say(header)
  const { findings, failed } = await torture(settings, {
    leftOut: ({ name, needs }, reason) => {
      isShort ||= needs.some((need) => required.includes(need))
      say(`left out: ${name}: ${reason}`)
    },
    round: (round) => say(line(round, settings)),
  })
  say(totals(findings))
  return failed === undefined && !isShort ? 0 : 1
}

await runTool(usage, options, main)
