/** One real PostgreSQL server, for tests and tools: started, killed and restarted as often as necessary. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, rmSync } from "node:fs"
import { appendFile, chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "@petstore/harness/free-port"
import { childrenOf, isRunning as runs, signal } from "@petstore/harness/processes"
import { Client } from "pg"
import { postgresPrograms, serverUser } from "./postgres-programs.ts"

const user = "petstore"
const password = "open sesame"

/** How long this process, when it exits, waits until the server stops writing into its folder, in ms. */
const leaveMillis = 5_000

const flags = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB", "max_connections=90"]

/** The active sessions, except for the one that runs this query. */
const busySessions =
  "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()"

/** Prepares the files of a server before it starts: created by `initialise`, or copied from another server. */
type Prepare = (data: string, initialise: () => Promise<void>) => Promise<void>

/** Starts a server with these settings (`name=value`). Its data is in a new folder in `parent`, removed with the server. */
export const startServer = (settings: ReadonlyArray<string>, parent?: string) =>
  openServer(settings, parent, (_data, initialise) => initialise())

/** Starts a server with a copy of the files in this folder. The first call creates the files, which takes a second. */
export const startServerFrom = (template: string, settings: ReadonlyArray<string>) =>
  openServer(settings, undefined, async (data, initialise) => {
    const copy = (from: string, to: string) => promisify(execFile)("cp", ["--archive", from, to])
    if (existsSync(template)) return void (await copy(template, data))
    await initialise()
    await copy(data, `${template}.unfinished`)
    await rename(`${template}.unfinished`, template)
  })

export type PostgresServer = Awaited<ReturnType<typeof openServer>>

/** Starts a standby from a copy of a server's files. The standby then follows that server, which must be at `url`. */
export const startStandby = (of: PostgresServer, url: string, settings: ReadonlyArray<string>, parent?: string) =>
  openServer(settings, parent, (data) => of.copyTo(data, url))

const openServer = async (settings: ReadonlyArray<string>, parent: string | undefined, prepare: Prepare) => {
  const programs = await postgresPrograms()
  const folder = await mkdtemp(join(parent ?? programs.parent, "petstore-postgres-"))
  const { uid, gid } = serverUser
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  const port = await freePort()
  const data = join(folder, "data")
  const log: Array<string> = []
  const asServer = { ...serverUser, cwd: folder }

  const initialise = async (): Promise<void> => {
    const passwordFile = join(folder, "password")
    // With the caller's umask, the mode might be too restrictive for the server's user.
    await writeFile(passwordFile, `${password}\n`)
    if (uid !== undefined && gid !== undefined) await chown(passwordFile, uid, gid)
    const access = ["--auth=password", `--username=${user}`, `--pwfile=${passwordFile}`]
    await promisify(execFile)(
      join(programs.bin, "initdb"),
      ["-D", data, ...access, "--encoding=UTF8", "--locale=C", "--no-sync"],
      asServer,
    ).catch(({ stderr }: { readonly stderr: string }) => {
      throw new Error(`PostgreSQL could not create its files: ${stderr.trim().replaceAll("\n", " ")}`)
    })
  }

  let server: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let isRunning = false

  const start = async (): Promise<void> => {
    const given = [...flags, ...settings].flatMap((setting) => ["-c", setting])
    const started = spawn(join(programs.bin, "postgres"), ["-D", data, "-p", String(port), ...given], {
      ...asServer,
      stdio: ["ignore", "ignore", "pipe"],
    })
    server = started
    ended = once(started, "close")
    await new Promise<void>((resolve, reject) => {
      started.stderr.setEncoding("utf8").on("data", (text: string) => {
        log.push(text)
        if (/database system is ready to accept (?:read-only )?connections/.test(text)) resolve()
      })
      ended.then(() => reject(new Error(`PostgreSQL did not start: ${log.slice(-3).join("").trim()}`)), reject)
    })
    isRunning = true
  }

  /** Sends a signal and waits until the server has exited. */
  const end = async (name: NodeJS.Signals): Promise<void> => {
    isRunning = false
    server?.kill(name)
    await ended
  }

  const remove = { recursive: true, force: true, maxRetries: 10 } as const
  const leave = (): void => {
    server?.kill("SIGQUIT")
    const { pid } = server ?? {}
    const tooLateAt = performance.now() + leaveMillis
    while (pid !== undefined && runs(pid) && performance.now() < tooLateAt)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    rmSync(folder, remove)
  }
  process.once("exit", leave)

  await prepare(data, initialise)
  await start()

  const connection = (database = "postgres") =>
    new Client({ user, password, port, host: "127.0.0.1", database }).on("error", () => {})

  /** Runs a statement as the superuser, and returns its rows. */
  const run = async (text: string, database = "postgres"): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
    const client = connection(database)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  return {
    url: (database: string) => `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    createDatabase: (name: string) => run(`CREATE DATABASE ${name}`),
    /** Copies the running server's files into a new folder, for a standby that finds the server at a URL. */
    copyTo: async (target: string, url: string) => {
      const client = connection()
      await client.connect()
      try {
        await client.query("SELECT pg_backup_start('standby', true)")
        await mkdir(target)
        // Files can change or disappear while they are copied. The standby makes its copy consistent by replaying the log.
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
    /** Logs the statements of all later connections to a database. */
    logStatementsOf: (name: string) => run(`ALTER DATABASE ${name} SET log_statement = 'all'`),
    run,
    /** Waits until the server has finished all statements, including those of disconnected clients. */
    untilIdle: async () => {
      while ((await run(busySessions)).length > 0) await sleep(20)
    },
    log: () => log.join(""),
    /** The server and all its processes, the server first. */
    processes: (): ReadonlyArray<number> => (server?.pid === undefined ? [] : [server.pid, ...childrenOf(server.pid)]),
    /** Kills the server, as a crash of its machine would: all processes at once. */
    strikeDead: async () => {
      if (server?.pid !== undefined) signal("SIGKILL", childrenOf(server.pid))
      await end("SIGKILL")
    },
    /** Kills the server, as a crash would: its processes exit immediately, without a checkpoint. */
    kill: () => end("SIGQUIT"),
    /** Stops the server as an operator does, with a checkpoint. */
    halt: () => end("SIGINT"),
    start,
    stop: async () => {
      if (isRunning) await end("SIGINT")
      await rm(folder, remove)
      process.off("exit", leave)
    },
  }
}
