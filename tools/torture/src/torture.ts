/** One run: rounds of load and faults, each followed by a check of the whole catalogue. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, TemporaryStore } from "@petstore/conformance/serving"
import { check, type Findings } from "./check.ts"
import { type Fault, faults, type Need, type Stage, weatherOf } from "./faults.ts"
import { Ledger } from "./ledger.ts"
import { Load } from "./load.ts"
import { planRounds, type Round } from "./plan.ts"
import { Random } from "./random.ts"
import { Service } from "./service.ts"
import { mountSmallDisk, unmountSmallDisk } from "./small-disk.ts"
import { noStrace } from "./strace.ts"

export interface Settings {
  readonly seed: number
  readonly rounds: number
  /** Names of the faults that may strike; all by default. */
  readonly only?: ReadonlyArray<string>
  /** A deliberate fault of the adapter: see `mutants.ts`. */
  readonly mutant?: string
  /** Ends the run with the first round that found something. */
  readonly stopsAtFirst?: boolean
}

/** What one round came to. */
export interface RoundResult extends Findings {
  readonly round: Round
  /** How hard the fault struck, where it can tell. */
  readonly note: string | undefined
  /** The longest time without a 201, in ms. */
  readonly longestOutageMillis: number
  /** Requests that were answered with 503. */
  readonly refusals: number
  /** Everything that must not have happened, a sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** Hears of a run as it goes. */
export interface Audience {
  /** A fault that cannot strike on this machine, and why. */
  readonly leftOut: (fault: string, reason: string) => void
  readonly round: (result: RoundResult) => void
}

/** The size of the small file system for a run, in MiB: what is filled up is memory. */
const diskMebibytes = (rounds: number): number => 32 + Math.ceil(rounds / 4)

const isWell = ({ lost, doubled, altered, problems }: RoundResult): boolean => lost + doubled + altered + problems.length === 0

/** Runs the rounds of a plan against the built service on a store of its own. Gives the last findings, and whether every round was well. */
export const torture = async (settings: Settings, audience: Audience): Promise<Findings & { readonly isWell: boolean }> => {
  const store = new TemporaryStore()
  const chosen = faults.filter(({ name }) => settings.only === undefined || settings.only.includes(name))
  const isNeeded = (need: Need): boolean => chosen.some(({ needs }) => needs.includes(need))
  const disk = isNeeded("small disk") ? mountSmallDisk(store.directory, diskMebibytes(settings.rounds)) : "not needed"
  const clockFile = join(store.directory, "clock")
  writeFileSync(clockFile, "0")
  const service = new Service({ ...store.environment, ...preloads(clockFile, settings.mutant) })
  const stage = { service, folder: store.directory, file: join(store.directory, "petstore.db"), clockFile }
  try {
    const missing: Readonly<Record<Need, string | undefined>> = {
      strace: isNeeded("strace") ? noStrace() : undefined,
      "small disk": disk,
      "SQLite file": undefined,
    }
    const possible = chosen.filter(({ name, needs }) => {
      const reason = needs.map((need) => missing[need]).find((why) => why !== undefined)
      if (reason !== undefined) audience.leftOut(name, reason)
      return reason === undefined
    })
    await petstore(store.environment, "accounts", "create", "torture")
    const { key } = await createKey(store.environment, "torture")
    const ledger = new Ledger()
    let last = { acknowledged: 0, found: 0, lost: 0, doubled: 0, altered: 0, isWell: true }
    await service.start()
    for (const round of planRounds(
      settings.seed,
      settings.rounds,
      possible.map(({ name }) => name),
    )) {
      const fault = possible.find(({ name }) => name === round.fault)
      if (fault === undefined) continue
      const result = await runRound(stage, fault, round, key, ledger)
      audience.round(result)
      last = { ...result, isWell: last.isWell && isWell(result) }
      if (settings.stopsAtFirst === true && !last.isWell) break
    }
    return last
  } finally {
    await service.kill()
    if (disk === undefined) unmountSmallDisk(store.directory)
    store.remove()
  }
}

/** Modules that the service loads before its own: the movable clock, and the mutant if there is one. */
const preloads = (clockFile: string, mutant: string | undefined): Record<string, string> => {
  const modules = ["./clock.ts", ...(mutant === undefined ? [] : ["./mutants/preload.ts"])]
  const options = modules.map((module) => `--import=${new URL(module, import.meta.url).href}`)
  return {
    NODE_OPTIONS: ["--disable-warning=ExperimentalWarning", ...options].join(" "),
    TORTURE_CLOCK: clockFile,
    ...(mutant === undefined ? {} : { TORTURE_MUTANT: mutant }),
  }
}

const runRound = async (stage: Stage, fault: Fault, round: Round, key: string, ledger: Ledger): Promise<RoundResult> => {
  const random = new Random(round.seed)
  const load = new Load(() => stage.service.url, key, ledger, weatherOf(fault, round), random.seed())
  const running = load.run()
  let note: string | undefined
  try {
    await sleep(round.afterMillis)
    note = await fault.strike(stage, round, random)
    await sleep(round.afterwardsMillis)
  } catch (cause) {
    ledger.problem(cause instanceof Error ? cause.message : String(cause))
    await stage.service.kill()
    await stage.service.start()
  } finally {
    load.stop()
    await running
  }
  await load.settle()
  const findings = await check(stage.service.url, key, ledger, random.pick(["available", "pending", "sold"]))
  for (const problem of fileProblems(stage.file)) ledger.problem(problem)
  const { longestOutageMillis, refusals } = load
  return { round, note, longestOutageMillis, refusals, ...findings, problems: ledger.takeProblems() }
}

/** What SQLite itself says of the file. */
const fileProblems = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const problems = ["integrity_check", "foreign_key_check"].flatMap((pragma) => database.prepare(`PRAGMA ${pragma}`).all())
    return problems.map((row) => JSON.stringify(Object.values(row))).filter((text) => text !== '["ok"]')
  } finally {
    database.close()
  }
}
