/** A run's PostgreSQL servers. They belong to the runner, not a worker, so none outlives the run. Tests call `postgres.ts`. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { signal } from "@petstore/harness/processes"
import type { TestProject } from "vitest/node"
import { type Cluster, startCluster } from "../citus-cluster.ts"
import { type PostgresServer, startServerFrom } from "../postgres-server.ts"

/** For the shared server: it does not need to survive a crash, is not copied, and needs no vacuum. */
const carelessFlags = [
  ...["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off"],
  // A statement's parameters can take megabytes, and no test reads them.
  ...["log_line_prefix=%d|%a|", "log_parameter_max_length=0"],
]

const servers: Array<PostgresServer> = []
const clusters: Array<Cluster> = []
let sharedCluster: Promise<Cluster> | undefined
let shared: Promise<PostgresServer> | undefined
let folder = ""
/** Servers start one after another, because the first one creates files that the other servers copy. */
let lastStart: Promise<unknown> = Promise.resolve()
let databases = 0

const start = async (settings: ReadonlyArray<string>): Promise<PostgresServer> => {
  const starting = lastStart.then(() => startServerFrom(join(folder, "template"), settings))
  lastStart = starting.catch(() => {})
  const server = await starting
  servers.push(server)
  return server
}

const startCitus = async (): Promise<Cluster> => {
  const cluster = await startCluster()
  clusters.push(cluster)
  return cluster
}

/** Every request is a POST. The path names the action, and the body is a JSON array of arguments. */
const actions: Readonly<Record<string, (...given: ReadonlyArray<never>) => Promise<unknown>>> = {
  database: async (logsStatements: boolean) => {
    shared ??= start(carelessFlags)
    const server = await shared
    databases += 1
    const name = `test_${databases}`
    await server.createDatabase(name)
    if (logsStatements) await server.logStatementsOf(name)
    return server.url(name)
  },
  statements: async (database: string, application: string) => {
    // An entry can begin in the middle of a long line from another connection. A continued line begins with a tab.
    const entry = new RegExp(`${database}\\|${application}\\|LOG: {2}((?:execute|statement|fastpath).*(?:\\n\\t.*)*)`, "g")
    return [...((await shared)?.log() ?? "").matchAll(entry)].map(([, statement]) => statement)
  },
  server: async (settings: ReadonlyArray<string>) => {
    const server = await start(settings)
    return { id: servers.indexOf(server), url: server.url("postgres") }
  },
  kill: async (id: number) => servers[id]?.kill(),
  start: async (id: number) => servers[id]?.start(),
  freeze: async (id: number) => signal("SIGSTOP", servers[id]?.processes() ?? []),
  thaw: async (id: number) => signal("SIGCONT", servers[id]?.processes() ?? []),
  spread: async () => {
    sharedCluster ??= startCitus()
    return (await sharedCluster).newDatabase()
  },
  cluster: async () => {
    const cluster = await startCitus()
    return { id: clusters.indexOf(cluster), url: await cluster.newDatabase(), ports: cluster.nodes.map(({ port }) => port) }
  },
  node: async (id: number, place: number, act: "kill" | "start" | "freeze" | "thaw") => {
    const node = clusters[id]?.nodes[place]
    if (node === undefined) throw new Error(`Cluster ${id} has no node ${place}`)
    await node[act]()
  },
  addWorker: async (id: number) => (await clusters[id]?.addWorker())?.port,
}

let control: Server | undefined

export const setup = async (project: TestProject): Promise<void> => {
  const hasLongTests = project.vitest.projects.some(({ name }) => name === "long")
  // biome-ignore lint/style/noProcessEnv: only reports that the tests on Citus do not run
  if (hasLongTests && process.env["CITUS_TARBALL"] === undefined) process.stdout.write("Citus: not run\n")
  folder = mkdtempSync(join(tmpdir(), "petstore-postgres-template-"))
  control = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray()).toString()
      const result = await actions[request.url?.slice(1) ?? ""]?.(...(JSON.parse(body) as ReadonlyArray<never>))
      response.end(JSON.stringify(result ?? null))
    } catch (thrown) {
      response.writeHead(500).end(String(thrown))
    }
  })
  await new Promise<void>((resolve) => control?.listen(0, "127.0.0.1", resolve))
  const { port } = control.address() as AddressInfo // Safe: the server listens on TCP.
  project.provide("postgresServers", `http://127.0.0.1:${port}`)
}

export const teardown = async (): Promise<void> => {
  control?.closeAllConnections()
  control?.close()
  await Promise.all([...servers, ...clusters].map((started) => started.stop()))
  rmSync(folder, { recursive: true, force: true })
}
