/**
 * Simulates random requests to the service, the coordinator and the workers, each a group of cores with one queue. Returns the
 * 99th percentile of the durations, and the utilisation of each group. The same seed results in the same run.
 */
import { Random } from "@petstore/harness/random"
import type { Cluster, Cost } from "./costs.ts"

export interface Plan extends Cluster {
  /** Service processes, one core each. */
  readonly services: number
  /** The number of cores of the coordinator or, if there is no cluster, of the server. */
  readonly coordinatorCores: number
  readonly coresOfWorker: number
}

export interface Load {
  readonly perSecond: number
  /** The fraction of each kind of request. The fractions add up to 1. */
  readonly mix: Readonly<Record<string, number>>
}

export type Outcome = ReturnType<typeof simulate>

/** Cores with one queue: work starts on the first free core. */
class Cores {
  readonly #freeAt: Array<number>
  busy = 0

  constructor(count: number) {
    this.#freeAt = Array.from({ length: Math.max(1, count) }, () => 0)
  }

  /** Runs work that arrives at the given time, and returns the time at which the work is finished. */
  work(at: number, micros: number): number {
    // A heap with the smallest value first. The core at the head is free first.
    const begin = Math.max(at, this.#freeAt[0] ?? 0)
    const end = begin + micros
    this.busy += micros
    let place = 0
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      const leftAt = this.#freeAt[left] ?? Number.POSITIVE_INFINITY
      const rightAt = this.#freeAt[right] ?? Number.POSITIVE_INFINITY
      const [smaller, at_] = leftAt <= rightAt ? [left, leftAt] : [right, rightAt]
      if (at_ >= end) break
      this.#freeAt[place] = at_
      place = smaller
    }
    this.#freeAt[place] = end
    return end
  }

  share(micros: number): number {
    return this.busy / (micros * this.#freeAt.length)
  }
}

export const simulate = (costs: ReadonlyArray<Cost>, plan: Plan, load: Load, requests: number, seed: number) => {
  const random = new Random(seed)
  const [services, coordinator] = [new Cores(plan.services), new Cores(plan.coordinatorCores)]
  const workers = Array.from({ length: plan.workers }, () => new Cores(plan.coresOfWorker))
  const kinds = costs.filter(({ kind }) => (load.mix[kind] ?? 0) > 0)
  const pick = (): Cost | undefined => {
    let left = random.next()
    for (const cost of kinds) {
      left -= load.mix[cost.kind] ?? 0
      if (left < 0) return cost
    }
    return kinds.at(-1)
  }
  const took: Array<number> = []
  let now = 0
  for (let request = 0; request < requests; request += 1) {
    now += (-Math.log(1 - random.next()) * 1e6) / load.perSecond
    const cost = pick()
    if (cost === undefined) continue
    let at = services.work(now, cost.serviceMicros)
    if (plan.workers === 0) at = coordinator.work(at, cost.oneServerMicros)
    else {
      at = coordinator.work(at, cost.coordinatorMicros(plan))
      const all = cost.workersMicros(plan)
      const asked = cost.isFanOut ? workers : [workers[Math.floor(random.next() * workers.length)]]
      // The slowest worker determines when the request is finished.
      at = Math.max(...asked.map((worker) => worker?.work(at, all / asked.length) ?? at))
    }
    took.push(at - now)
  }
  took.sort((one, other) => one - other)
  return {
    p99Millis: (took[Math.floor(took.length * 0.99)] ?? 0) / 1_000,
    /** The fraction of time during which a core was busy, from 0 to 1, by group. */
    busy: {
      services: services.share(now),
      coordinator: coordinator.share(now),
      workers: workers.length === 0 ? 0 : Math.max(...workers.map((worker) => worker.share(now))),
    },
  }
}
