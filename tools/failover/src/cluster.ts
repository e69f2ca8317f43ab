/** A primary and its synchronous standby, on the PostgreSQL of the system. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { freePort, type Line, openLine } from "./line.ts"
import { type Identity, type Programs, type Running, run, start, until } from "./programs.ts"

export const user = "petstore"
export const password = "drill"
export const database = "postgres"

/** How the primary acknowledges: after the standby has the change on disk, or after it has it alone. */
export type Acknowledgement = "replicated" | "early"

export interface Cluster {
  readonly primaryPort: number
  readonly standbyPort: number
  /** From this moment on nothing reaches the standby. */
  readonly separate: () => void
  /** Ends every process of the primary with SIGKILL, as the death of its machine does. */
  readonly killPrimary: () => void
  /** Makes the standby the new primary, and waits until it takes writes. */
  readonly promote: () => Promise<void>
  readonly stop: () => Promise<void>
}

const settings = (port: number, extra: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    `port=${port}`,
    "shared_buffers=64MB",
    "max_connections=80",
    ...extra,
  ].flatMap((setting) => ["-c", setting])

/** Answers rows of text of one query, or fails. */
export const query = async (port: number, text: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const client = new Client({
    host: "127.0.0.1",
    port,
    user,
    password,
    database,
    connectionTimeoutMillis: 2_000,
    types: { getTypeParser: () => String as never }, // Safe: pg hands texts to it, and a text is what it answers.
  })
  client.on("error", () => {})
  await client.connect()
  try {
    // Safe: in this mode pg answers arrays, of what the parser above answers.
    return (await client.query({ text, rowMode: "array" })).rows as ReadonlyArray<ReadonlyArray<string>>
  } finally {
    await client.end()
  }
}

const answers = (port: number, text: string, expected: string) => async (): Promise<boolean> =>
  query(port, text).then(
    (rows) => rows[0]?.[0] === expected,
    () => false,
  )

/** Starts both servers in a folder, and waits until the standby is synchronous. */
export const startCluster = async (
  programs: Programs,
  identity: Identity | undefined,
  folder: string,
  acknowledgement: Acknowledgement,
): Promise<Cluster> => {
  const [primaryData, standbyData] = [join(folder, "primary"), join(folder, "standby")]
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o644 })
  await run(identity, programs.initdb, [
    "-D",
    primaryData,
    "-U",
    user,
    `--pwfile=${passwordFile}`,
    "-A",
    "scram-sha-256",
    "-E",
    "UTF8",
    "--locale=C",
  ])

  const [primaryPort, standbyPort] = [await freePort(), await freePort()]
  const primary = start(identity, programs.postgres, [
    "-D",
    primaryData,
    ...settings(primaryPort, [
      "synchronous_standby_names=*",
      `synchronous_commit=${acknowledgement === "replicated" ? "on" : "local"}`,
    ]),
  ])
  const replication: Line = await openLine(primaryPort)
  let standby: Running | undefined
  const stop = async (): Promise<void> => {
    replication.close()
    await Promise.all([primary, standby].map((server) => server?.end("SIGQUIT")))
  }
  try {
    await until("the primary answers", answers(primaryPort, "SELECT 'yes'", "yes"))
    const address = `host=127.0.0.1 port=${replication.port} user=${user} password=${password}`
    await run(identity, programs.baseBackup, ["-D", standbyData, "-d", address, "-R", "-X", "stream", "-c", "fast"])
    standby = start(identity, programs.postgres, ["-D", standbyData, ...settings(standbyPort)])
    await until("the standby is synchronous", answers(primaryPort, "SELECT sync_state FROM pg_stat_replication", "sync"))
  } catch (thrown) {
    await stop()
    throw new Error(`The servers did not start:\n${primary.output()}${standby?.output() ?? ""}`, { cause: thrown })
  }

  return {
    primaryPort,
    standbyPort,
    separate: replication.loseAnswers,
    killPrimary: () => {
      for (const pid of [...childrenOf(primary.process.pid ?? 0), primary.process.pid ?? 0]) {
        try {
          process.kill(pid, "SIGKILL")
        } catch {
          // It ended by itself when the first ones died.
        }
      }
      replication.close()
    },
    promote: async () => {
      await run(identity, programs.control, ["promote", "-D", standbyData, "-W"])
      await until("the standby takes writes", answers(standbyPort, "SELECT pg_is_in_recovery()::text", "false"))
    },
    stop,
  }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
