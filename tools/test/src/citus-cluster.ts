/** A real Citus cluster on this machine: a coordinator and workers, each of which can be killed, frozen and restarted. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile, chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "@petstore/harness/free-port"
import { childrenOf, killWhole, signal } from "@petstore/harness/processes"
import { Client } from "pg"
import { serverUser } from "./postgres-programs.ts"

const run = promisify(execFile)

/** Where Debian's `postgresql-15` installs its programs and its other files. */
const debian = { lib: "/usr/lib/postgresql/15", share: "/usr/share/postgresql/15" }

const role = "petstore"

/** The timeout for a node's first response after its start, in ms. */
const startMillis = 60_000
/** The time after which prepared changes have been resolved even on a busy machine, in ms: many times the interval below. */
const recoveryMillis = 120_000

/** Installs PostgreSQL with Citus only in `folder`. Copies the programs, which look for files beside them, and links the rest. */
const install = async (tarball: string, folder: string): Promise<string> => {
  const [lib, share] = [join(folder, debian.lib), join(folder, debian.share)]
  for (const made of [join(lib, "bin"), join(lib, "lib"), join(share, "extension")]) await mkdir(made, { recursive: true })
  for (const program of ["postgres", "initdb"]) await copyFile(join(debian.lib, "bin", program), join(lib, "bin", program))
  const link = async (from: string, to: string, isLinked: (name: string) => boolean): Promise<void> => {
    for (const name of await readdir(from)) if (isLinked(name)) await symlink(join(from, name), join(to, name))
  }
  const isOther = (name: string): boolean => !name.startsWith("citus")
  await link(join(debian.lib, "lib"), join(lib, "lib"), isOther)
  await link(debian.share, share, (name) => name !== "extension")
  await link(join(debian.share, "extension"), join(share, "extension"), isOther)
  await run("tar", ["-C", folder, "--zstd", "-xf", tarball])
  return join(lib, "bin")
}

const settingsOf = (port: number): string =>
  Object.entries({
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    shared_preload_libraries: "citus",
    shared_buffers: "64MB",
    max_connections: 200,
    wal_level: "logical",
    // One per database on each node.
    max_worker_processes: 100,
    log_line_prefix: "%d|%a|",
    "citus.node_conninfo": "sslmode=disable",
    "citus.recover_2pc_interval": "5s",
    // Every node has the roles. If two databases were created at once, both would propagate the roles, and one would fail.
    "citus.enable_create_role_propagation": "off",
    "citus.enable_alter_role_propagation": "off",
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("")

const urlOf = (port: number, database: string, user = "postgres"): string =>
  `postgres://${user}:${user}@127.0.0.1:${port}/${database}`

/** Runs statements on one connection, and returns the rows of the last statement. */
const query = async (url: string, ...texts: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
  const client = new Client(url)
  client.on("error", () => {})
  await client.connect()
  try {
    let rows: ReadonlyArray<unknown> = []
    for (const text of texts) ({ rows } = await client.query(text))
    return rows
  } finally {
    await client.end()
  }
}

/**
 * Waits until no node holds a change to this database that is prepared but not yet resolved. Until then, a commit during a node's
 * failure is not visible on that node: an order is placed, but the pet is still available.
 *
 * @param url  the database's URL on any node
 */
export const untilRecovered = async (url: string, ports: ReadonlyArray<number>): Promise<void> => {
  const prepared = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()"
  const endMillis = performance.now() + recoveryMillis
  for (const port of ports) {
    for (;;) {
      const rows = await query(url.replace(/:\d+\//, `:${port}/`), prepared)
      if (rows.length === 0) break
      if (performance.now() > endMillis) throw new Error(`The node on port ${port} still holds ${JSON.stringify(rows)}`)
      await sleep(50)
    }
  }
}

export type ClusterNode = Awaited<ReturnType<typeof startNode>>

/** Starts a server of these programs, with a copy of the template's files in the folder `data`. */
const startNode = async (programs: string, data: string, template: string) => {
  const port = await freePort()
  const files = join(data, String(port))
  await run("cp", ["-r", "--reflink=auto", template, files], { ...serverUser, cwd: data })
  await appendFile(join(files, "postgresql.conf"), settingsOf(port))
  let server: ChildProcess | undefined
  /** Ends the running server, if any, with `end`, and waits until it has exited. */
  const exit = async (end: (running: ChildProcess) => unknown): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, "exit")
    await end(server)
    await ended
    server = undefined
  }
  const node = {
    port,
    /** The server and all its processes, the server first. */
    processes: (): ReadonlyArray<number> => (server?.pid === undefined ? [] : [server.pid, ...childrenOf(server.pid)]),
    /** Kills the node, as a crash would. */
    kill: () =>
      exit(async ({ pid }) => {
        if (pid !== undefined) await killWhole(pid)
        await rm(join(files, "postmaster.pid"), { force: true })
      }),
    /** Stops the node immediately, and releases its shared memory, which a crash would leave allocated until the next start. */
    end: () => exit((running) => running.kill("SIGQUIT")),
    /** Suspends the node: first the server, which would otherwise treat the silence of its processes as a crash. */
    freeze: () => signal("SIGSTOP", node.processes()),
    thaw: () => signal("SIGCONT", node.processes().toReversed()),
    start: async (): Promise<void> => {
      const started = spawn(join(programs, "postgres"), ["-D", files], { ...serverUser, cwd: files, stdio: "ignore" })
      server = started
      const endMillis = performance.now() + startMillis
      for (;;) {
        const isUp = await query(urlOf(port, "postgres"), "SELECT 1").then(
          () => true,
          () => false,
        )
        if (isUp) return
        if (performance.now() > endMillis || started.exitCode !== null) throw new Error(`The node on port ${port} did not start`)
        await sleep(50)
      }
    },
  }
  await node.start()
  await query(urlOf(port, "postgres"), `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`)
  return node
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** The path of the Citus files, which are not part of the project. */
export const citusTarball = (): string => {
  // biome-ignore lint/style/noProcessEnv: the only setting of the tests and tools on Citus
  const tarball = process.env["CITUS_TARBALL"]
  if (tarball === undefined) throw new Error("CITUS_TARBALL is not set; set it to the path of a Citus tarball")
  return tarball
}

/** Starts a coordinator and workers from a Citus tarball. Their files are in a new folder, which is removed with them. */
export const startCluster = async (workers = 2, tarball = citusTarball()) => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-citus-"))
  // By default, only the owner can enter the folder, but servers that root starts run as another user.
  await chmod(folder, 0o755)
  const programs = await install(tarball, join(folder, "postgres"))
  const data = join(folder, "data")
  await mkdir(data)
  if (serverUser.uid !== undefined) await chown(data, serverUser.uid, serverUser.gid ?? serverUser.uid)
  const template = join(data, "template")
  const initdb = ["-D", template, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
  await run(join(programs, "initdb"), initdb, { ...serverUser, cwd: data })

  const nodes: Array<ClusterNode> = []
  const databases: Array<string> = []

  const addNode = async (): Promise<ClusterNode> => {
    const node = await startNode(programs, data, template)
    nodes.push(node)
    return node
  }

  const makeDatabase = async (port: number, name: string): Promise<void> => {
    await query(urlOf(port, "postgres"), `CREATE DATABASE ${name} OWNER ${role} ENCODING 'UTF8' TEMPLATE template0`)
    await query(urlOf(port, name), "CREATE EXTENSION citus")
  }

  const stop = async (): Promise<void> => {
    for (const node of nodes) node.thaw()
    await Promise.all(nodes.map(({ end }) => end()))
    await rm(folder, { recursive: true, force: true })
  }

  // Kills servers that are still running, for example after an interrupted test run.
  process.once("exit", () => {
    signal(
      "SIGKILL",
      nodes.flatMap((node) => node.processes()),
    )
  })
  try {
    for (let started = 0; started <= workers; started += 1) await addNode()
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return {
    /** The coordinator, then the workers. */
    nodes,
    /** Starts one more worker, which a database can add: `citus_add_node('127.0.0.1', port)`. */
    addWorker: async (): Promise<ClusterNode> => {
      const node = await addNode()
      for (const name of databases) await makeDatabase(node.port, name)
      return node
    },
    /** Creates an empty database with Citus on every node, and returns its URL on the coordinator. */
    newDatabase: async (): Promise<string> => {
      const name = `spread_${databases.length + 1}`
      databases.push(name)
      const [coordinator, ...others] = nodes
      if (coordinator === undefined) throw new Error("The cluster has no coordinator")
      await Promise.all(nodes.map(({ port }) => makeDatabase(port, name)))
      await query(
        urlOf(coordinator.port, name),
        `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
        ...others.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
        // A rebalance then moves as many shards as needed, however small they are.
        "SELECT citus_set_default_rebalance_strategy('by_shard_count')",
      )
      return urlOf(coordinator.port, name, role)
    },
    stop,
  }
}
