/** One run: rounds of load and faults, each followed by a check of the entire catalogue. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { messageOf } from "@petstore/harness/error-text"
import { Random } from "@petstore/harness/random"
import { Callers } from "./callers.ts"
import { changeLoad } from "./change-load.ts"
import { check, type Findings, findingsOf } from "./check.ts"
import { contained, noContainers } from "./containers.ts"
import { type Fault, faults } from "./faults.ts"
import { Feed } from "./feed.ts"
import { petLoad } from "./load.ts"
import { orderLoad } from "./order-load.ts"
import { planRounds, type Round } from "./plan.ts"
import { RandomLedger } from "./random-ledger.ts"
import { Service } from "./service.ts"
import { mountSmallDisk, unmountSmallDisk } from "./small-disk.ts"
import type { Stage } from "./stage.ts"
import { type Need, type StoreKind, type StoreName, stores } from "./stores.ts"
import { noStrace } from "./strace.ts"

export interface Settings {
  readonly store: StoreName
  readonly seed: number
  readonly rounds: number
  /** The names of the faults that may strike. By default, all faults may strike. */
  readonly only?: ReadonlyArray<string>
  /** A deliberate bug in the adapter: see `mutants/`. The run then stops after the first round that has findings. */
  readonly mutant?: string
}

export type RoundResult = Awaited<ReturnType<typeof runRound>>

interface Reporter {
  /** Reports a fault that cannot strike on this machine, and why. */
  readonly leftOut?: (fault: Fault, reason: string) => void
  readonly round?: (result: RoundResult) => void
}

/** Runs a plan's rounds on a new store. Returns the last findings, and the first round that was not successful. */
export const torture = async ({ store: name, seed, rounds, only, mutant }: Settings, reporter: Reporter = {}) => {
  const kind: StoreKind = stores[name]
  const isChosen = (fault: Fault): boolean => only?.includes(fault.name) ?? true
  const applicable = faults.filter((fault) => isChosen(fault) && fault.needs.every((need) => kind.offers.includes(need)))
  const isNeeded = (need: Need): boolean => applicable.some(({ needs }) => needs.includes(need))
  await using stack = new AsyncDisposableStack()
  const temporary = stack.use(new TemporaryStore())
  const folder = temporary.directory
  const disk = isNeeded("small disk") ? mountSmallDisk(folder, kind.diskMebibytes?.(rounds) ?? 0) : "not needed"
  if (disk === undefined) stack.defer(() => unmountSmallDisk(folder))
  // An interrupted run must not leave anything mounted or running.
  const leave = (): void => void stack.disposeAsync().finally(() => process.exit(1))
  process.once("SIGINT", leave).once("SIGTERM", leave)
  stack.defer(() => void process.off("SIGINT", leave).off("SIGTERM", leave))

  const store = stack.adopt(await kind.open(folder, mutant), (opened) => opened.close?.())
  const commands = { ...temporary.environment, DATABASE_URL: store.databaseUrl }
  const clockFile = join(folder, "clock")
  writeFileSync(clockFile, "0")
  await petstore(commands, "accounts", "create", "torture")
  const { key } = await createKey(commands, "torture")
  // On sql.js, the service runs in namespaces that hide it and the commands from each other, as under the shipped systemd unit.
  const containers = kind.offers.includes("containers") ? noContainers() : "not needed"
  const options = containers === undefined ? contained : {}
  const service = new Service({ ...commands, ...store.settings, HISTORY_DAYS: "0", ...preloads(clockFile, mutant) }, options)
  stack.defer(() => service.kill())
  await service.start()

  const missing: Partial<Record<Need, string | undefined>> = {
    strace: isNeeded("strace") ? noStrace() : undefined,
    containers,
    "small disk": disk,
  }
  /** Why a fault cannot strike on this machine. */
  const reasonOf = ({ needs }: Fault) => needs.map((need) => missing[need]).find((reason) => reason !== undefined)
  const { possible = [], impossible = [] } = Object.groupBy(applicable, (fault) =>
    reasonOf(fault) === undefined ? "possible" : "impossible",
  )
  for (const fault of impossible) reporter.leftOut?.(fault, reasonOf(fault) ?? "")
  const stage = {
    service,
    store,
    folder,
    clockFile,
    commands,
    key,
    ledger: new RandomLedger(),
    feed: new Feed(),
  }
  let findings: Findings = findingsOf(stage.ledger)
  let failed: RoundResult | undefined
  for (const round of planRounds(seed, rounds, possible)) {
    const result = await runRound(stage, round)
    reporter.round?.(result)
    findings = result
    if (result.problems.length > 0) failed ??= result
    if (mutant !== undefined && failed !== undefined) break
  }
  return { findings, failed }
}

/** Modules that are loaded before the service's own: the adjustable clock, and the mutant if there is one. */
const preloads = (clockFile: string, mutant: string | undefined): Record<string, string> => {
  const modules = ["./clock.ts", ...(mutant === undefined ? [] : ["./mutants/preload.ts"])]
  const options = modules.map((module) => `--import=${new URL(module, import.meta.url).href}`)
  return {
    NODE_OPTIONS: ["--disable-warning=ExperimentalWarning", ...options].join(" "),
    TORTURE_CLOCK: clockFile,
    ...(mutant === undefined ? {} : { TORTURE_MUTANT: mutant }),
  }
}

/** Runs a round and checks everything. `note` describes the effect of the fault, and each problem is one sentence. */
const runRound = async (stage: Stage, planned: Round<Fault>) => {
  const { key, ledger, feed } = stage
  const { strike, mayBreak = false, mayBeKilled = false } = planned.fault
  const round = { ...planned, isKilled: planned.isKilled && mayBeKilled }
  const random = new Random(round.seed)
  // A kill in the middle of a fault also breaks connections.
  const tolerated = { ...planned.fault, mayBreak: mayBreak || round.isKilled }
  const callers = new Callers(() => stage.service.url, key, ledger, tolerated)
  const pets = petLoad(callers, new Random(random.seed()))
  const changes = changeLoad(callers, new Random(random.seed()))
  const orders = orderLoad(callers, changes, new Random(random.seed()))
  const running = Promise.all([pets.run(), changes.run(), orders.run(), callers.wait(feed.follow(callers))])
  let note: string | undefined
  try {
    await sleep(round.afterMillis)
    const effect = await strike(stage, random, round)
    if (typeof effect === "string") note = effect
    await sleep(round.afterwardsMillis)
  } catch (cause) {
    ledger.problem(messageOf(cause))
    await stage.service.kill()
    await stage.service.start()
  } finally {
    callers.isStopping = true
    await running
  }
  const [longestOutageMillis] = await running
  // The service has recovered, so repeated requests have known outcomes.
  for (const { settle } of [pets, orders]) await callers.wait(settle())
  await stage.store.settle?.()
  await check(stage, random)
  for (const problem of stage.store.problems?.() ?? []) ledger.problem(problem)
  const { refusals } = callers
  return { round, note, longestOutageMillis, refusals, ...findingsOf(ledger), problems: ledger.takeProblems() }
}
