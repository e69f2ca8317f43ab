/** One run: rounds of load and faults, each followed by a check of the entire catalogue. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createKey, petstore, TemporaryStore } from "@petstore/harness/command"
import { Random } from "@petstore/harness/random"
import { Callers } from "./callers.ts"
import { changeLoad } from "./change-load.ts"
import { type AllFindings, check, nothingFound } from "./check.ts"
import { noContainers } from "./containers.ts"
import { type Fault, faults, toleratedIn } from "./faults.ts"
import { Ledger } from "./ledger.ts"
import { petLoad } from "./load.ts"
import { orderLoad } from "./order-load.ts"
import { planRounds, type Round } from "./plan.ts"
import { Service } from "./service.ts"
import { mountSmallDisk, unmountSmallDisk } from "./small-disk.ts"
import type { Stage } from "./stage.ts"
import { type Need, type StoreKind, type StoreName, stores, type TorturedStore } from "./stores.ts"
import { noStrace } from "./strace.ts"
import { messageOf } from "./tolerance.ts"

export interface Settings {
  readonly store: StoreName
  readonly seed: number
  readonly rounds: number
  /** The names of the faults that may strike. By default, all faults may strike. */
  readonly only?: ReadonlyArray<string>
  /** A deliberate bug in the adapter: see `mutants/`. */
  readonly mutant?: string
  /** Stops the run after the first round that has findings. */
  readonly stopsAtFirst?: boolean
}

/** The result of one round. */
export interface RoundResult extends AllFindings {
  readonly round: Round
  /** The effect of the fault, if known. */
  readonly note: string | undefined
  /** The longest time without a 201, in ms. */
  readonly longestOutageMillis: number
  /** The number of 503 responses. */
  readonly refusals: number
  /** The violations, in one sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** Receives the progress of a run. */
export interface Reporter {
  /** Reports a fault that cannot strike on this machine, and why. */
  readonly leftOut: (fault: Fault, reason: string) => void
  readonly round: (result: RoundResult) => void
}

const isWell = ({ lost, doubled, altered, resurrected, problems }: RoundResult): boolean =>
  lost + doubled + altered + resurrected + problems.length === 0

/** The chosen faults that can strike this store on this machine. Reports the store's other chosen faults, with the reasons. */
const choose = (settings: Settings, disk: string | undefined, reporter: Reporter): ReadonlyArray<Fault> => {
  const applicable = applicableFaults(settings)
  const missing: Partial<Record<Need, string | undefined>> = {
    strace: applicable.some(({ needs }) => needs.includes("strace")) ? noStrace() : undefined,
    containers: applicable.some(({ needs }) => needs.includes("containers")) ? noContainers() : undefined,
    "small disk": disk,
  }
  return applicable.filter((fault) => {
    const reason = fault.needs.map((need) => missing[need]).find((why) => why !== undefined)
    if (reason !== undefined) reporter.leftOut(fault, reason)
    return reason === undefined
  })
}

/** The chosen faults that apply to the store. */
const applicableFaults = ({ store, only }: Settings): ReadonlyArray<Fault> => {
  const offers: ReadonlyArray<Need> = stores[store].offers
  return faults.filter(({ name, needs }) => (only?.includes(name) ?? true) && needs.every((need) => offers.includes(need)))
}

/** Runs a plan's rounds on a new store. Returns the last findings, and whether every round was successful. */
export const torture = async (settings: Settings, reporter: Reporter): Promise<AllFindings & { readonly isWell: boolean }> => {
  const temporary = new TemporaryStore()
  const folder = temporary.directory
  const kind: StoreKind = stores[settings.store]
  const needsDisk = applicableFaults(settings).some(({ needs }) => needs.includes("small disk"))
  const disk = needsDisk ? mountSmallDisk(folder, kind.diskMebibytes(settings.rounds)) : "not needed"
  let store: TorturedStore | undefined
  let service: Service | undefined
  const cleanUp = async (): Promise<void> => {
    await service?.kill()
    await store?.close()
    if (disk === undefined) unmountSmallDisk(folder)
    temporary.remove()
  }
  // An interrupted run must not leave anything mounted or running.
  const leave = (): void => void cleanUp().finally(() => process.exit(1))
  process.once("SIGINT", leave).once("SIGTERM", leave)
  try {
    store = await kind.open(folder, settings.mutant)
    const commands = { ...temporary.environment, DATABASE_URL: store.databaseUrl }
    const clockFile = join(folder, "clock")
    writeFileSync(clockFile, "0")
    await petstore(commands, "accounts", "create", "torture")
    const { key } = await createKey(commands, "torture")
    // On sql.js the service runs as under the shipped systemd unit: in namespaces, so the service and the commands do not see
    // each other's processes.
    const isContained = kind.offers.some((need) => need === "containers") && noContainers() === undefined
    service = new Service({ ...commands, ...store.settings, ...preloads(clockFile, settings.mutant) }, isContained)
    await service.start()
    const stage = { service, store, folder, clockFile, commands, key, ledger: new Ledger() }
    return await runRounds(stage, settings, choose(settings, disk, reporter), reporter)
  } finally {
    process.off("SIGINT", leave).off("SIGTERM", leave)
    await cleanUp()
  }
}

const runRounds = async (
  stage: Stage,
  { seed, rounds, stopsAtFirst }: Settings,
  possible: ReadonlyArray<Fault>,
  reporter: Reporter,
): Promise<AllFindings & { readonly isWell: boolean }> => {
  const names = possible.map(({ name }) => name)
  let last = { ...nothingFound, isWell: true }
  for (const round of planRounds(seed, rounds, names)) {
    const fault = possible.find(({ name }) => name === round.fault)
    if (fault === undefined) continue
    const result = await runRound(stage, fault, round)
    reporter.round(result)
    last = { ...result, isWell: last.isWell && isWell(result) }
    if (stopsAtFirst === true && !last.isWell) break
  }
  return last
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

const runRound = async (stage: Stage, fault: Fault, round: Round): Promise<RoundResult> => {
  const { key, ledger } = stage
  const random = new Random(round.seed)
  const callers = new Callers(() => stage.service.url, key, ledger, toleratedIn(fault, round))
  const pets = petLoad(callers, random.seed())
  const changes = changeLoad(callers, random.seed())
  const orders = orderLoad(callers, changes, random.seed())
  const running = Promise.all([pets, changes, orders].map(({ run }) => run()))
  let note: string | undefined
  try {
    await sleep(round.afterMillis)
    note = await fault.strike(stage, round, random)
    await sleep(round.afterwardsMillis)
  } catch (cause) {
    ledger.problem(messageOf(cause))
    await stage.service.kill()
    await stage.service.start()
  } finally {
    callers.isStopping = true
    await running
  }
  for (const { settle } of [pets, orders, changes]) await callers.wait([settle()])
  await stage.store.settle?.()
  const findings = await check(stage.service.url, key, ledger, random)
  for (const problem of stage.store.problems((pet) => ledger.isLeftToOrders(pet))) ledger.problem(problem)
  const { refusals } = callers
  return { round, note, longestOutageMillis: pets.longestOutage(), refusals, ...findings, problems: ledger.takeProblems() }
}
