/** The cost of each kind of request, derived from measurements. `npm run bench -- --store citus` writes `measured.json`. */

export interface Cluster {
  /** 0 means one PostgreSQL server. */
  readonly workers: number
  readonly shards: number
}

/** The databases' CPU time for one kind of request, in µs. */
interface MeasuredEngine extends Cluster {
  readonly coordinatorMicros: number
  readonly workersMicros: number
}

export interface Measured {
  readonly machine: string
  readonly requests: ReadonlyArray<{ readonly kind: string; readonly engines: ReadonlyArray<MeasuredEngine> }>
}

export interface Cost {
  readonly kind: string
  /** CPU time of a service process, in µs: see docs/scaling.md. */
  readonly serviceMicros: number
  readonly oneServerMicros: number
  readonly coordinatorMicros: (cluster: Cluster) => number
  /** CPU time of all workers together, in µs. */
  readonly workersMicros: (cluster: Cluster) => number
  /** Whether the request uses every shard, not only the row's shard. */
  readonly isFanOut: boolean
}

/** The kinds that use every shard. A cluster test checks the list. */
const fanOut: ReadonlySet<string> = new Set(["page of 20", "page of 100 by status"])

/** The service's CPU time by kind, in µs. The first four values are from docs/scaling.md. */
const serviceMicros: Readonly<Record<string, number>> = {
  "create in groups": 54,
  get: 77,
  "page of 20": 105,
  "page of 100 by status": 230,
  order: 120,
  complete: 120,
  "create with a key": 120,
}

/** A line through two points, never below zero. */
const lineThrough = (x1: number, y1: number, x2: number, y2: number) => {
  const slope = (y2 - y1) / (x2 - x1)
  return (x: number): number => Math.max(0, y1 + slope * (x - x1))
}

/** The most pets that one group created with the measured number of clients. A group's rows are on at most that many nodes. */
const groupMaximum = 64

/** The average number of nodes with a request's rows: all for a group of pets; one or two, by chance, for two changed rows. */
const nodesOf = (kind: string, workers: number): number => {
  if (kind === "create in groups") return Math.min(workers, groupMaximum)
  return ["order", "complete", "create with a key"].includes(kind) ? 2 - 1 / workers : 1
}

/**
 * Extrapolates the costs measured on clusters with one and two workers. The cost of a request to every shard grows as it did
 * between few and many shards. The cost of a change on several nodes grows as it did between one and two workers.
 */
export const costsOf = ({ requests }: Measured): ReadonlyArray<Cost> =>
  requests.map(({ kind, engines }) => {
    const most = Math.max(...engines.map(({ shards }) => shards))
    const of = (workers: number, isRight: (shards: number) => boolean): MeasuredEngine => {
      const found = engines.find((engine) => engine.workers === workers && isRight(engine.shards))
      if (found === undefined) throw new Error(`no measurement of ${kind} has "workers": ${workers}`)
      return found
    }
    const [none, one, two] = [of(0, () => true), of(1, (shards) => shards === most), of(2, (shards) => shards === most)]
    const few = of(2, (shards) => shards < most)
    const isFanOut = fanOut.has(kind)
    const part = (pick: (engine: MeasuredEngine) => number): ((cluster: Cluster) => number) => {
      if (isFanOut) {
        const line = lineThrough(few.shards, pick(few), two.shards, pick(two))
        return ({ shards }) => line(shards)
      }
      if (nodesOf(kind, 2) === 1) return () => pick(two)
      const line = lineThrough(1, pick(one), nodesOf(kind, 2), pick(two))
      return ({ workers }) => line(nodesOf(kind, workers))
    }
    return {
      kind,
      serviceMicros: serviceMicros[kind] ?? 100,
      oneServerMicros: none.coordinatorMicros,
      coordinatorMicros: part(({ coordinatorMicros }) => coordinatorMicros),
      workersMicros: part(({ workersMicros }) => workersMicros),
      isFanOut,
    }
  })

/** The relative prediction error for each measured cluster with many shards, positive if the prediction is too high. */
export const errorsOf = (measured: Measured) => {
  const costs = costsOf(measured)
  const manyShards = Math.max(...measured.requests.flatMap(({ engines }) => engines.map(({ shards }) => shards)))
  return measured.requests.flatMap(({ kind, engines }) =>
    engines
      .filter(({ workers, shards }) => workers > 0 && shards === manyShards)
      .map(({ workers, shards, coordinatorMicros, workersMicros }) => {
        const cost = costs.find((one) => one.kind === kind)
        const predicted = (cost?.coordinatorMicros({ workers, shards }) ?? 0) + (cost?.workersMicros({ workers, shards }) ?? 0)
        const seen = coordinatorMicros + workersMicros
        return { kind, workers, predicted, measured: seen, error: seen === 0 ? 0 : predicted / seen - 1 }
      }),
  )
}
