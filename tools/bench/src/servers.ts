/**
 * The servers under test: ours as a user starts it, with less and with more to watch it, the peers, and the
 * limit. Each on one core, with a store of its own; what it logs goes to a file.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { listPets, PetId, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import type { CursorOf } from "./workloads.ts"

const root = join(import.meta.dirname, "../../..")

interface StartOptions {
  readonly database: string
  readonly port: number
  readonly core: number
  /** File of its standard output. */
  readonly output: string
  /** What makes fsync slower, for every server alike: see `slowFsync`. */
  readonly disk?: Readonly<Record<string, string>>
}

export interface Server {
  readonly name: string
  readonly cursorOf: CursorOf
  readonly start: (options: StartOptions) => ChildProcess
  /** Names of those it is compared with: itself without a log, and the rival with the same one. */
  readonly itself?: string
  readonly rival?: string
  /** Name of the same one, of the checkout it is compared with. */
  readonly former?: string
}

const run = (
  { core, output, disk }: StartOptions,
  command: string,
  args: ReadonlyArray<string>,
  environment: Record<string, string>,
): ChildProcess => {
  const file = openSync(output, "w")
  const child = spawn("taskset", ["-c", String(core), command, ...args], {
    // biome-ignore lint/style/noProcessEnv: a started program inherits the environment of its starter
    env: { ...process.env, ...disk, NODE_ENV: "production", ...environment },
    stdio: ["ignore", file, "inherit"],
  })
  closeSync(file)
  return child
}

/** A store that has two animals wherever it is asked: our own use case then makes the cursor between them. */
const cursorOfOurs: CursorOf = (after, status) =>
  Effect.runSync(
    listPets({ limit: 1, status: Option.fromNullable(status as "sold" | undefined), after: Option.none() }).pipe(
      Effect.map(({ next }) => Option.getOrThrow(next)),
      // Safe: `listPets` calls `list` alone.
      Effect.provideService(PetRepository, {
        list: () => Effect.succeed([0, 1].map((more) => ({ id: PetId.make(BigInt(after + more)), name: "x", categoryId: 1n }))),
      } as unknown as (typeof PetRepository)["Service"]),
    ),
  )

/** Starts the service of a checkout that is built. */
const serve = (options: StartOptions, checkout: string, settings: Record<string, string>): ChildProcess =>
  run(options, join(checkout, "apps/http/bin/petstore"), ["serve"], {
    DATABASE_URL: options.database.startsWith("postgres:") ? options.database : `sqlite:${options.database}`,
    PORT: String(options.port),
    ...settings,
  })

const petstore = (name: string, rival: string, settings: Record<string, string>): Server => ({
  name,
  itself: "petstore, silent",
  rival,
  former: formerName(name),
  cursorOf: cursorOfOurs,
  start: (options) => serve(options, root, settings),
})

const formerName = (name: string): string => name.replace("petstore", "former petstore")

/** The service of another checkout, with the settings that users get and without a log. */
export const formerServers = (checkout: string): ReadonlyArray<Server> =>
  [
    { name: "petstore", settings: {} },
    { name: "petstore, silent", settings: { LOG_LEVEL: "silent" } },
  ].map(({ name, settings }) => ({
    name: formerName(name),
    cursorOf: cursorOfOurs,
    start: (options) => serve(options, checkout, settings),
  }))

const peer = (name: string, title: string): Server => ({
  name: title,
  cursorOf: (after) => String(after),
  start: (options) =>
    run(
      options,
      process.execPath,
      [join(import.meta.dirname, "peers/main.ts"), name, options.database, String(options.port)],
      {},
    ),
})

/** Ours with the settings that users get, without a log, and with the metrics besides, beside the rival with and without a log. */
const besideRival = (silent: Server, logging: Server): ReadonlyArray<Server> => [
  petstore("petstore", logging.name, {}),
  petstore("petstore, silent", silent.name, { LOG_LEVEL: "silent" }),
  petstore("petstore, log and metrics", logging.name, { ADMIN_PORT: "0" }),
  logging,
  silent,
]

export const limit = peer("limit", "bare node:http, fixed bytes")

/** Ours without a log, where it is compared with itself only. */
export const ours = petstore("petstore, silent", "", { LOG_LEVEL: "silent" })

export const onPostgres = besideRival(peer("fastify-pg", "Fastify 5 + pg, silent"), peer("fastify-pg-log", "Fastify 5 + pg"))

const onSqlite = besideRival(
  peer("fastify", "Fastify 5 + better-sqlite3, silent"),
  peer("fastify-log", "Fastify 5 + better-sqlite3"),
)

/** A quick look. */
export const fewServers: ReadonlyArray<Server> = [...onSqlite, limit]

export const servers: ReadonlyArray<Server> = [
  ...onSqlite,
  peer("express", "Express 5 + better-sqlite3"),
  peer("hono", "Hono 4 + node:sqlite"),
  peer("koa", "Koa 3, naive, node:sqlite"),
  limit,
]

/** Waits for the first right answer of a server. */
export const untilItAnswers = async (port: number, key: string): Promise<void> => {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    try {
      if ((await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).ok) return
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Nothing answers on port ${port}.`)
}

/** Peak memory of a process, in MiB. */
export const peakMemoryMib = (pid: number | undefined): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
