/**
 * Measures the CPU time per request of one PostgreSQL server and of Citus clusters with one, two and four workers, with the
 * service's adapter and in interleaved rounds: `npm run bench -- --store citus`.
 */
import { randomUUID } from "node:crypto"
import { OrderRepository, type PetId, PetRepository } from "@petstore/core"
import { say } from "@petstore/harness/command-line"
import { distributeStore, storage } from "@petstore/storage"
import { citusTarball, startCluster } from "@petstore/test/citus-cluster"
import { startServer } from "@petstore/test/postgres-server"
import { Effect, ManagedRuntime, Option } from "effect"
import { cpuMicrosOf } from "./cpu.ts"
import { conditions, inRounds, machineName, median, type Options, table, tell } from "./session.ts"

const animals = 20_000

const callers = 64

/** The number of shards per table. A cluster with few shards shows how the cost of a page grows with the number of shards. */
const [shards, fewShards] = [8, 2]

interface Engine {
  readonly name: string
  readonly workers: number
  readonly shards: number
  /** The CPU time of the coordinator (or of the single server) and of all workers, in µs. */
  readonly cpu: () => Cost
  readonly run: <A, E>(effect: Effect.Effect<A, E, PetRepository | OrderRepository>) => Promise<A>
  /** Pets without orders. */
  readonly free: ReadonlyArray<PetId>
}

interface Cost {
  readonly coordinator: number
  readonly workers: number
}

/** Opens the adapter on a database with pets. The adapter is closed with the stack. */
const open = async (
  stack: AsyncDisposableStack,
  url: string,
  description: Pick<Engine, "name" | "workers" | "shards" | "cpu">,
): Promise<Engine> => {
  const runtime = ManagedRuntime.make(
    // Measured requests must not fail because the machine is busy.
    storage({ adapter: "postgres", url }, { migrate: true, postgres: { statementTimeoutMillis: 30_000 } }),
  )
  stack.defer(() => runtime.dispose())
  const engine: Engine = { ...description, run: (effect) => runtime.runPromise(effect), free: [] }
  return { ...engine, free: await freshPets(engine, animals) }
}

const openServer = async (stack: AsyncDisposableStack): Promise<Engine> => {
  const server = await startServer([])
  stack.defer(server.stop)
  await server.createDatabase("bench")
  const cpu = () => ({ coordinator: cpuMicrosOf(server.processes()), workers: 0 })
  return open(stack, server.url("bench"), { name: "PostgreSQL", workers: 0, shards: 1, cpu })
}

const openCluster = async (stack: AsyncDisposableStack, tarball: string, workers: number, parts = shards): Promise<Engine> => {
  const cluster = await startCluster(workers, tarball)
  stack.defer(cluster.stop)
  const url = await cluster.newDatabase()
  await Effect.runPromise(distributeStore({ adapter: "postgres", url }, { shards: parts }))
  const [coordinator, ...others] = cluster.nodes
  const name = `Citus, ${workers} ${workers === 1 ? "worker" : "workers"}${parts === shards ? "" : `, ${parts} shards`}`
  const cpu = () => ({
    coordinator: cpuMicrosOf(coordinator?.processes() ?? []),
    workers: others.reduce((sum, node) => sum + cpuMicrosOf(node.processes()), 0),
  })
  return open(stack, url, { name, workers, shards: parts, cpu })
}

const newPet = { name: "Bello the dog", categoryId: 7n, status: "available" } as const
const pets = <A, E>(use: (repository: PetRepository["Type"]) => Effect.Effect<A, E>) => Effect.flatMap(PetRepository, use)
const orders = <A, E>(use: (repository: OrderRepository["Type"]) => Effect.Effect<A, E>) => Effect.flatMap(OrderRepository, use)
const insert = pets((repository) => repository.insert(newPet))
const somewhere = (engine: Engine): PetId => engine.free[Math.floor(Math.random() * engine.free.length)] ?? 1n

/** The claim of a new idempotency key, which is valid for a day. */
const newClaim = (claimedAt = new Date()) => ({
  accountId: "acc_bench",
  operation: "POST /v1/pets",
  key: randomUUID(),
  fingerprint: "f",
  claimedAt,
  expiresAt: new Date(claimedAt.getTime() + 86_400_000),
})

type Request = Effect.Effect<unknown, unknown, PetRepository | OrderRepository>

interface Kind {
  /** How many requests one measurement sends, on one server and on a cluster: about a second of work. */
  readonly counts: readonly [server: number, cluster: number]
  /** Creates the data for the requests, which is not measured. */
  readonly prepare: (engine: Engine, count: number) => Promise<(index: number) => Request>
}

/** Pages of this size, each from a random pet on. The adapter also reads the next page's first pet. */
const pageOf =
  (size: number, status: Option.Option<"available">): Kind["prepare"] =>
  async (engine) =>
  () =>
    pets(({ list }) => list({ status, after: Option.some(somewhere(engine)), limit: size + 1 }))

const kinds: Readonly<Record<string, Kind>> = {
  "create in groups": { counts: [20_000, 8_000], prepare: async () => () => insert },
  get: { counts: [10_000, 4_000], prepare: async (engine) => () => pets(({ find }) => find(somewhere(engine))) },
  "page of 20": { counts: [6_000, 1_000], prepare: pageOf(20, Option.none()) },
  "page of 100 by status": { counts: [3_000, 600], prepare: pageOf(100, Option.some("available")) },
  order: {
    counts: [2_000, 400],
    prepare: async (engine, count) => {
      const wanted = await freshPets(engine, count)
      return (index) => orderOf(wanted[index] ?? 0n)
    },
  },
  complete: {
    counts: [2_000, 400],
    prepare: async (engine, count) => {
      const wanted = await freshPets(engine, count)
      const placed = await engine.run(Effect.forEach(wanted, orderOf, { concurrency: callers }))
      return (index) => orders(({ close }) => close(placed[index]?.id ?? 0n, "complete", new Date()))
    },
  },
  "create with a key": {
    counts: [2_000, 400],
    prepare: async () => () => pets(({ insertOnce }) => insertOnce(newPet, newClaim())),
  },
}

const orderOf = (pet: PetId) => orders((repository) => repository.insert({ petId: pet }, new Date()))

const freshPets = (engine: Engine, count: number): Promise<ReadonlyArray<PetId>> =>
  engine.run(Effect.forEach(Array.from({ length: count }), () => Effect.map(insert, ({ id }) => id), { concurrency: callers }))

const measure = async (engine: Engine, { counts, prepare }: Kind, share: number): Promise<Cost> => {
  const count = Math.ceil(counts[engine.workers === 0 ? 0 : 1] * share)
  const request = await prepare(engine, count)
  const before = engine.cpu()
  await engine.run(Effect.forEach(Array.from({ length: count }), (_, index) => request(index), { concurrency: callers }))
  const after = engine.cpu()
  return {
    coordinator: (after.coordinator - before.coordinator) / count,
    workers: (after.workers - before.workers) / count,
  }
}

/** Measures one kind of request on all engines in interleaved rounds, and returns the medians. */
const measureKind = async (name: string, kind: Kind, engines: ReadonlyArray<Engine>, rounds: number, share: number) => {
  const costs = await inRounds(rounds, engines, async (engine, round) => {
    const cost = await measure(engine, kind, round === 0 ? share / 5 : share)
    tell(`${name} · ${engine.name} · ${Math.round(cost.coordinator + cost.workers)} µs`)
    return cost
  })
  const middle = (engine: Engine, part: keyof Cost): number =>
    Math.round(median((costs.get(engine) ?? []).map((cost) => cost[part])))
  return engines.map((engine) => ({
    workers: engine.workers,
    shards: engine.shards,
    coordinatorMicros: middle(engine, "coordinator"),
    workersMicros: middle(engine, "workers"),
  }))
}

export const measureDatabases = async (options: Options): Promise<void> => {
  const [rounds, share] = [Number(options.rounds ?? 3), options.quick === true ? 0.2 : 1]
  const tarball = citusTarball()
  await using stack = new AsyncDisposableStack()
  const engines = [await openServer(stack)]
  for (const workers of [1, 2, 4]) engines.push(await openCluster(stack, tarball, workers))
  engines.push(await openCluster(stack, tarball, 2, fewShards))
  const requests: Array<{ readonly kind: string; readonly engines: Awaited<ReturnType<typeof measureKind>> }> = []
  for (const [kind, how] of Object.entries(kinds)) {
    requests.push({ kind, engines: await measureKind(kind, how, engines, rounds, share) })
  }
  const known = [`${animals} animals`, `${shards} shards`, `${callers} callers`, `medians of ${rounds} rounds`]
  const machine = conditions(machineName, ...known)
  const rows = requests.map(({ kind, engines: costs }) => [
    kind,
    ...costs.map(({ workers, coordinatorMicros: coordinator, workersMicros }) =>
      workers === 0 ? coordinator : `${coordinator + workersMicros} (${coordinator} + ${workersMicros})`,
    ),
  ])
  say(`${machine}\nCPU time per request, in µs. For a cluster: coordinator + workers\n`)
  say(table(["", ...engines.map(({ name }) => name)], rows))
}
