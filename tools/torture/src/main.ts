/** `npm run torture`: checks that the service does not lose any pet or order under load and repeated faults. */
import { flag, type Given, runTool, say, text, texts, WrongUsage, wholeNumber } from "@petstore/harness/command-line"
import { faults } from "./faults.ts"
import { catchMutant, mutantNames } from "./mutants/catch-mutant.ts"
import { header, line, mutantLine, totals } from "./report.ts"
import { isStoreName, stores } from "./stores.ts"
import { torture } from "./torture.ts"

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

const decodeArguments = (values: Given<typeof options>) => {
  for (const fault of values.fault ?? []) {
    if (!faults.some(({ name }) => name === fault)) throw new WrongUsage(`--fault: there is no fault "${fault}"`)
  }
  const store = values.store ?? "sqlite"
  if (!isStoreName(store)) throw new WrongUsage(`--store: there is no store "${store}"`)
  if (values.mutant !== undefined && !mutantNames(store).includes(values.mutant)) {
    throw new WrongUsage(`--mutant: there is no mutant "${values.mutant}"`)
  }
  return {
    store,
    rounds: wholeNumber("rounds", values.rounds, 20),
    seed: wholeNumber("seed", values.seed, Math.floor(Math.random() * 2 ** 31)),
    only: values.fault,
    required: values.require ?? [],
    mutants: values.mutant !== undefined ? [values.mutant] : values.mutants === true ? mutantNames(store) : undefined,
  }
}

const main = async (given: Given<typeof options>): Promise<number> => {
  const { required, mutants, only, ...plan } = decodeArguments(given)
  const settings = { ...plan, ...(only === undefined ? {} : { only }) }
  say(`seed ${plan.seed}, ${plan.store}`)
  if (mutants !== undefined) {
    let escaped = 0
    for (const mutant of mutants) {
      const caught = await catchMutant(mutant, settings)
      if (caught === undefined) escaped += 1
      say(mutantLine(mutant, caught))
    }
    say(`${mutants.length - escaped} caught, ${escaped} escaped`)
    return escaped === 0 ? 0 : 1
  }
  let isShort = false
  say(header)
  const result = await torture(settings, {
    leftOut: ({ name, needs }, reason) => {
      isShort ||= needs.some((need) => required.includes(need))
      say(`left out: ${name}: ${reason}`)
    },
    round: (round) => say(line(round, plan)),
  })
  say(totals(result))
  return result.isWell && !isShort ? 0 : 1
}

await runTool(usage, options, main)
