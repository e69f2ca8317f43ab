/** The capacity for a catalogue and a load: the smallest sufficient plan, its first bottleneck, and its cost. */
import type { Cost } from "./costs.ts"
import { type Load, type Outcome, type Plan, simulate } from "./simulation.ts"

/** The contents of `prices.json`, which readers can edit: monthly prices in one currency. */
export interface Prices {
  readonly currency: string
  readonly core: number
  readonly memoryGigabyte: number
  readonly diskGigabyte: number
}

/** The largest machines, and their highest utilisation. */
export const limits = {
  coresOfMachine: 32,
  memoryGigabytes: 128,
  diskGigabytes: 4_000,
  /** The number of connections that one server accepts. */
  connections: 500,
  /** The highest utilisation of a core. The rest is a reserve for peaks and for the load of a failed machine. */
  busy: 0.6,
  p99Millis: 100,
} as const

/** The size in bytes of a pet (measured with a million pets) and of its key in the index, which should fit in memory. */
export const bytes = { animal: 141, key: 22 } as const

/** Connections per service process: the default of `POSTGRES_POOL`. */
const poolSize = 10

/** Requests per simulation: enough for a stable 99th percentile. */
const requests = 50_000

export type Capacity = NonNullable<ReturnType<typeof capacityOf>>

/** The smallest plan for one server (0 workers) or for a cluster with this many workers, based on averages. */
const averagePlan = (costs: ReadonlyArray<Cost>, load: Load, workers: number): Plan => {
  const shards = Math.max(8, workers)
  const cluster = { workers, shards }
  /** The number of cores for this work of the average request, with a reserve. */
  const cores = (pick: (cost: Cost) => number): number => {
    const micros = costs.reduce((sum, cost) => sum + pick(cost) * (load.mix[cost.kind] ?? 0), 0)
    return Math.max(1, Math.ceil((load.perSecond * micros) / 1e6 / limits.busy))
  }
  const services = cores(({ serviceMicros }) => serviceMicros)
  const coordinatorCores = cores((cost) => (workers === 0 ? cost.oneServerMicros : cost.coordinatorMicros(cluster)))
  const coresOfWorker = workers === 0 ? 0 : Math.ceil(cores((cost) => cost.workersMicros(cluster)) / workers)
  return { services, coordinatorCores, workers, coresOfWorker, shards }
}

/** Grows a plan until the slowest requests are fast enough in a simulation, because averages can leave too little reserve. */
const grow = (costs: ReadonlyArray<Cost>, load: Load, begin: Plan, seed: number): { plan: Plan; outcome: Outcome } => {
  let plan = begin
  let outcome = simulate(costs, plan, load, requests, seed)
  for (let grown = 0; grown < 8 && outcome.p99Millis > limits.p99Millis; grown += 1) {
    const more = (count: number): number => Math.ceil(count * 1.25)
    const { services: busyServices, coordinator, workers: busyWorkers } = outcome.busy
    const busiest = Math.max(busyServices, coordinator, busyWorkers)
    if (busiest === busyServices) plan = { ...plan, services: more(plan.services) }
    else if (busiest === coordinator) plan = { ...plan, coordinatorCores: more(plan.coordinatorCores) }
    else plan = { ...plan, coresOfWorker: more(plan.coresOfWorker) }
    outcome = simulate(costs, plan, load, requests, seed)
  }
  return { plan, outcome }
}

/** The plan for one catalogue and load: one server, the smallest sufficient cluster, or `undefined` if none is sufficient. */
export const capacityOf = (costs: ReadonlyArray<Cost>, prices: Prices, animals: number, load: Load, seed: number) => {
  const disk = (animals * bytes.animal) / 1e9
  const memory = (animals * bytes.key) / 1e9
  const fits = (plan: Plan): boolean => {
    const machines = Math.max(1, plan.workers)
    // If one coordinator is too small, services connect to all nodes of a cluster.
    const coordinators = plan.workers === 0 ? 1 : plan.workers + 1
    return (
      plan.coordinatorCores / coordinators + (plan.workers === 0 ? 0 : plan.coresOfWorker) <= limits.coresOfMachine &&
      disk / machines <= limits.diskGigabytes &&
      memory / machines <= limits.memoryGigabytes / 2
    )
  }
  const begin = [0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
    .map((workers) => averagePlan(costs, load, workers))
    .find((candidate) => fits(candidate))
  if (begin === undefined) return undefined
  const { plan, outcome } = grow(costs, load, begin, seed)
  const machines = Math.max(1, plan.workers)
  const connections = plan.services * poolSize
  const cores = plan.services + plan.coordinatorCores + plan.workers * plan.coresOfWorker
  const isCluster = plan.workers > 0
  const grown = isCluster ? "add a worker and rebalance" : "switch to Citus"
  const room = [
    { what: "service machine cores", used: outcome.busy.services, remedy: "add service processes" },
    {
      what: isCluster ? "coordinator cores" : "server cores",
      used: plan.coordinatorCores / (limits.coresOfMachine * (isCluster ? plan.workers + 1 : 1)),
      remedy: isCluster ? "connect services to the workers too" : grown,
    },
    { what: "worker cores", used: plan.coresOfWorker / limits.coresOfMachine, remedy: "add a worker and rebalance" },
    { what: "disk", used: disk / machines / limits.diskGigabytes, remedy: grown },
    {
      what: "memory for keys",
      used: (2 * memory) / machines / limits.memoryGigabytes,
      remedy: isCluster ? grown : `add memory or ${grown}`,
    },
    { what: "connections", used: connections / limits.connections, remedy: "add PgBouncer in transaction mode" },
  ]
  const [first = { what: "nothing", used: 0, remedy: "" }] = room.toSorted((one, other) => other.used - one.used)
  return {
    animals,
    load,
    engine: isCluster ? "Citus" : "PostgreSQL",
    plan,
    outcome,
    diskGigabytes: disk,
    /** Connections from services to the coordinator, or to the only server. */
    connections,
    isPooled: connections > limits.connections,
    costPerMonth: cores * prices.core + 2 * memory * prices.memoryGigabyte + disk * prices.diskGigabyte,
    /** The tightest resource, and the fraction of its limit that is used. */
    first,
  }
}
