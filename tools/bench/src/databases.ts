/**
 * Measures the databases' CPU time per request: `npm run bench -- --store citus`. Uses the adapter as the service does, on one
 * PostgreSQL server and on Citus clusters with one, two and four workers, in interleaved rounds of one run. Prints the CPU time
 * of the coordinator and the workers per request, and writes it as JSON for `npm run scale`. Does not judge the results.
 */
import { OrderRepository, type PetId, PetRepository } from "@petstore/core"
import { say } from "@petstore/harness/command-line"
import { distributeStore, postgresDefaults, storage } from "@petstore/storage"
import { startCluster } from "@petstore/test/citus-cluster"
import { startServer } from "@petstore/test/postgres-server"
import { Effect, ManagedRuntime, Option } from "effect"
import { cpuMicrosOf } from "./cpu.ts"
import { conditions, machineName, median, table, tell, writeJson } from "./session.ts"

const animals = 20_000

const callers = 64

/** The number of shards per table. A cluster with few shards shows how the cost of a page grows with the number of shards. */
const [shards, fewShards] = [8, 2]

interface Engine {
  readonly name: string
  readonly workers: number
  readonly shards: number
  readonly run: <A, E>(effect: Effect.Effect<A, E, PetRepository | OrderRepository>) => Promise<A>
  /** The CPU time of the coordinator (or of the single server) and of all workers, in µs. */
  readonly cpu: () => Cost
  /** Pets without orders. */
  readonly free: Array<PetId>
  readonly stop: () => Promise<void>
}

const open = async (url: string) => {
  const runtime = ManagedRuntime.make(
    // Measured requests must not fail because the machine is busy.
    storage({ adapter: "postgres", url }, { migrate: true, postgres: { ...postgresDefaults, statementTimeoutMillis: 30_000 } }),
  )
  await runtime.runtime()
  return runtime
}

const engineOf = (
  description: Pick<Engine, "name" | "workers" | "shards" | "cpu">,
  runtime: Awaited<ReturnType<typeof open>>,
  end: () => Promise<void>,
): Engine => ({
  ...description,
  run: (effect) => runtime.runPromise(effect),
  free: [],
  stop: async () => {
    await runtime.dispose()
    await end()
  },
})

const onOneServer = async (): Promise<Engine> => {
  const server = await startServer([])
  await server.createDatabase("bench")
  const runtime = await open(server.url("bench"))
  const cpu = () => ({ coordinator: cpuMicrosOf(server.processes()), workers: 0 })
  return engineOf({ name: "PostgreSQL", workers: 0, shards: 1, cpu }, runtime, server.stop)
}

const onCluster = async (tarball: string, workers: number, parts: number): Promise<Engine> => {
  const cluster = await startCluster(tarball, workers)
  const url = await cluster.newDatabase()
  await Effect.runPromise(distributeStore({ adapter: "postgres", url }, { shards: parts }))
  const runtime = await open(url)
  const [coordinator, ...others] = cluster.nodes
  const name = `Citus, ${workers} ${workers === 1 ? "worker" : "workers"}${parts === shards ? "" : `, ${parts} shards`}`
  const cpu = () => ({
    coordinator: cpuMicrosOf(coordinator?.processes() ?? []),
    workers: others.reduce((sum, node) => sum + cpuMicrosOf(node.processes()), 0),
  })
  return engineOf({ name, workers, shards: parts, cpu }, runtime, cluster.stop)
}

const newPet = { name: "Bello the dog", categoryId: 7n, status: "available" } as const
const pets = <A, E>(use: (repository: PetRepository["Type"]) => Effect.Effect<A, E>) => Effect.flatMap(PetRepository, use)
const orders = <A, E>(use: (repository: OrderRepository["Type"]) => Effect.Effect<A, E>) => Effect.flatMap(OrderRepository, use)
const insert = pets((repository) => repository.insert(newPet))
const somewhere = (engine: Engine): PetId => engine.free[Math.floor(Math.random() * engine.free.length)] ?? 1n

let names = 0
const claimOfNext = () => {
  names += 1
  const claimedAt = new Date()
  return {
    accountId: "acc_bench",
    operation: "POST /v1/pets",
    key: `bench ${process.pid} ${names}`,
    fingerprint: "f",
    claimedAt,
    expiresAt: new Date(claimedAt.getTime() + 86_400_000),
  }
}

type Request = Effect.Effect<unknown, unknown, PetRepository | OrderRepository>

/** Every kind of request. The outer function, which creates the data for the requests, is not measured. */
const kinds: Readonly<Record<string, (engine: Engine, count: number) => Promise<(index: number) => Request>>> = {
  "create in groups": async () => () => insert,
  get: async (engine) => () => pets(({ find }) => find(somewhere(engine))),
  "page of 20": async (engine) => () =>
    pets(({ list }) => list({ status: Option.none(), after: Option.some(somewhere(engine)), limit: 21 })),
  "page of 100 by status": async (engine) => () =>
    pets(({ list }) => list({ status: Option.some("available"), after: Option.some(somewhere(engine)), limit: 101 })),
  order: async (engine, count) => {
    const wanted = await freshPets(engine, count)
    return (index) => orders((repository) => repository.insert(wanted[index] ?? 0n, new Date()))
  },
  complete: async (engine, count) => {
    const wanted = await freshPets(engine, count)
    const placed = await engine.run(
      Effect.forEach(wanted, (id) => orders((repository) => repository.insert(id, new Date())), { concurrency: callers }),
    )
    return (index) => {
      const order = placed[index]
      return order === undefined ? Effect.void : orders(({ close }) => close(order.id, "complete", new Date()))
    }
  },
  "create with a key": async () => () => pets(({ insertOnce }) => insertOnce(newPet, claimOfNext())),
}

const freshPets = (engine: Engine, count: number): Promise<ReadonlyArray<PetId>> =>
  engine.run(Effect.forEach(Array.from({ length: count }), () => Effect.map(insert, ({ id }) => id), { concurrency: callers }))

/** How many requests of each kind one measurement sends, on one server and on a cluster: about a second of work. */
const counts: Readonly<Record<string, readonly [number, number]>> = {
  "create in groups": [20_000, 8_000],
  get: [10_000, 4_000],
  "page of 20": [6_000, 1_000],
  "page of 100 by status": [3_000, 600],
  order: [2_000, 400],
  complete: [2_000, 400],
  "create with a key": [2_000, 400],
}

interface Cost {
  readonly coordinator: number
  readonly workers: number
}

const measure = async (engine: Engine, kind: string, share: number): Promise<Cost> => {
  const count = Math.ceil((counts[kind]?.[engine.workers === 0 ? 0 : 1] ?? 100) * share)
  const request = await kinds[kind]?.(engine, count)
  if (request === undefined) throw new Error(`There is no request kind called ${kind}`)
  const before = engine.cpu()
  await engine.run(Effect.forEach(Array.from({ length: count }), (_, index) => request(index), { concurrency: callers }))
  const after = engine.cpu()
  return {
    coordinator: (after.coordinator - before.coordinator) / count,
    workers: (after.workers - before.workers) / count,
  }
}

export const measureDatabases = async (options: { readonly rounds: number; readonly share: number; readonly json: string }) => {
  // biome-ignore lint/style/noProcessEnv: the location of the Citus files
  const tarball = process.env["CITUS_TARBALL"]
  if (tarball === undefined) throw new Error("CITUS_TARBALL is not set; set it to the path of a Citus tarball")
  const engines: Array<Engine> = []
  const costs = new Map<string, Array<Cost>>()
  try {
    engines.push(await onOneServer())
    for (const workers of [1, 2, 4]) engines.push(await onCluster(tarball, workers, shards))
    engines.push(await onCluster(tarball, 2, fewShards))
    for (const engine of engines) engine.free.push(...(await freshPets(engine, animals)))
    for (let round = 0; round <= options.rounds; round += 1) {
      for (const kind of Object.keys(kinds)) {
        for (const engine of engines) {
          const cost = await measure(engine, kind, round === 0 ? options.share / 5 : options.share)
          tell(`${kind} · ${engine.name} · ${Math.round(cost.coordinator + cost.workers)} µs`)
          // Round 0 is the warm-up.
          if (round > 0) costs.set(`${kind} ${engine.name}`, [...(costs.get(`${kind} ${engine.name}`) ?? []), cost])
        }
      }
    }
  } finally {
    for (const { stop } of engines) await stop()
  }
  const middle = (kind: string, engine: Engine, part: keyof Cost): number =>
    Math.round(median((costs.get(`${kind} ${engine.name}`) ?? []).map((cost) => cost[part])))
  const machine = conditions(
    machineName,
    `${animals} animals`,
    `${shards} shards`,
    `${callers} callers`,
    `medians of ${options.rounds} rounds`,
  )
  const measured = Object.keys(kinds).map((kind) => ({
    kind,
    engines: engines.map((engine) => ({
      workers: engine.workers,
      shards: engine.shards,
      coordinatorMicros: middle(kind, engine, "coordinator"),
      workersMicros: middle(kind, engine, "workers"),
    })),
  }))
  const cell = ({ workers, coordinatorMicros, workersMicros }: (typeof measured)[number]["engines"][number]): string =>
    workers === 0 ? String(coordinatorMicros) : `${coordinatorMicros + workersMicros} (${coordinatorMicros} + ${workersMicros})`
  const rows = measured.map(({ kind, engines: cells }) => [kind, ...cells.map(cell)])
  say(`${machine}\nCPU time per request, in µs. For a cluster: coordinator + workers\n`)
  say(table(["", ...engines.map(({ name }) => name)], rows))
  writeJson(options.json, { machine, requests: measured })
}
