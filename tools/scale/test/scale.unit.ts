/** The simulation is repeatable, and correct where the result can be calculated by hand. */
import { describe, expect, it } from "vitest"
import { capacityOf, limits } from "../src/capacity.ts"
import { costsOf, errorsOf, type Measured } from "../src/costs.ts"
import { pictureOf } from "../src/picture.ts"
import { simulate } from "../src/simulation.ts"

type Micros = readonly [coordinator: number, workers: number]

/** A kind's costs as measured on one server, on one and two workers with 8 shards, and on two workers with 2 shards. */
const kindOf = (kind: string, server: number, one: Micros, two: Micros, few: Micros): Measured["requests"][number] => {
  const on = (workers: number, shards: number, [coordinatorMicros, workersMicros]: Micros) => ({
    workers,
    shards,
    coordinatorMicros,
    workersMicros,
  })
  return { kind, engines: [on(0, 1, [server, 0]), on(1, 8, one), on(2, 8, two), on(2, 2, few)] }
}

const measured: Measured = {
  machine: "none",
  requests: [kindOf("get", 50, [100, 80], [120, 80], [110, 70]), kindOf("page of 20", 60, [300, 400], [300, 500], [180, 140])],
}
const costs = costsOf(measured)
const prices = { currency: "EUR", core: 10, memoryGigabyte: 1, diskGigabyte: 1 }
const gets = (perSecond: number) => ({ perSecond, mix: { get: 1 } })

describe("the cost model", () => {
  it("keeps the cost of a request to one shard constant, and extrapolates the cost of a request to all shards linearly", () => {
    const [get, page] = costs
    expect([2, 64].map((shards) => get?.workersMicros({ workers: 2, shards }))).toStrictEqual([80, 80])
    expect([2, 8, 14].map((shards) => page?.workersMicros({ workers: 2, shards }))).toStrictEqual([140, 500, 860])
  })

  it("increases the cost of an order with the probability that its pet is on a different node", () => {
    const engines = measured.requests[0]?.engines ?? []
    const [order] = costsOf({ machine: "none", requests: [{ kind: "order", engines }] })
    expect([1, 2, 4].map((workers) => order?.coordinatorMicros({ workers, shards: 8 }))).toStrictEqual([100, 120, 130])
  })

  it("compares its predictions with the measurements from other clusters", () => {
    const ofOne = errorsOf(measured).filter(({ workers }) => workers === 1)
    expect(ofOne.map(({ kind, error }) => [kind, Math.round(error * 100)])).toStrictEqual([
      ["get", 11],
      ["page of 20", 14],
    ])
  })
})

describe("a simulation", () => {
  const plan = { services: 2, coordinatorCores: 1, workers: 2, coresOfWorker: 1, shards: 8 }

  it("keeps cores busy for the fraction of time that their work takes", () => {
    const { busy } = simulate(costs, plan, gets(2_000), 50_000, 1)
    expect(busy.services).toBeCloseTo((2_000 * 77e-6) / 2, 1)
    expect(busy.coordinator).toBeCloseTo(2_000 * 120e-6, 1)
    expect(busy.workers).toBeCloseTo((2_000 * 80e-6) / 2, 1)
  })

  it("adds up the parts of a request's duration, and the time in queues if work arrives too fast", () => {
    const idle = simulate(costs, plan, gets(10), 5_000, 1)
    expect(idle.p99Millis).toBeGreaterThan(0.27)
    expect(idle.p99Millis).toBeLessThan(0.6)
    expect(simulate(costs, plan, gets(20_000), 50_000, 1).p99Millis).toBeGreaterThan(100)
  })

  it("has the same result for the same seed, and a different result for a different seed", () => {
    const of = (seed: number) => simulate(costs, plan, gets(5_000), 5_000, seed)
    expect(of(7)).toStrictEqual(of(7))
    expect(of(8)).not.toStrictEqual(of(7))
  })
})

const sufficient = (animals: number, perSecond: number) => {
  const capacity = capacityOf(costs, prices, animals, gets(perSecond), 1)
  if (capacity === undefined) throw new Error("no plan is sufficient")
  return capacity
}

describe("a capacity", () => {
  it("is one server if one server can handle the load, and otherwise a cluster", () => {
    const few = sufficient(1e6, 1_000)
    const many = sufficient(1e10, 60_000)
    expect([few.engine, many.engine]).toStrictEqual(["PostgreSQL", "Citus"])
    expect(many.plan.workers).toBeGreaterThanOrEqual(2)
    for (const { outcome, plan } of [few, many]) {
      expect(outcome.p99Millis).toBeLessThan(limits.p99Millis)
      expect(plan.coresOfWorker).toBeLessThanOrEqual(limits.coresOfMachine)
    }
    expect(many.costPerMonth).toBeGreaterThan(few.costPerMonth)
    expect(many.isPooled).toBe(false)
  })

  it("is absent if no cluster can handle the load", () => {
    expect(capacityOf(costs, prices, 1e9, { perSecond: 4_000_000, mix: { "page of 20": 1 } }, 1)).toBeUndefined()
  })

  it("is drawn with a bar for each kind of machine", () => {
    const picture = pictureOf([sufficient(1e6, 1_000)])
    expect(picture.match(/<title>/g)).toHaveLength(3)
    expect(picture).toContain("1 million animals")
  })
})
