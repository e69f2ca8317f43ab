/** The servers under test. Each has its own store, logs to a file and runs on one core by default. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { listPets, PetId, PetRepository } from "@petstore/core"
import { commandPath, type Environment } from "@petstore/harness/command"
import { childrenOf } from "@petstore/harness/processes"
import { type Service, startService } from "@petstore/harness/serving"
import { Effect, Option } from "effect"
import { cpuMicrosOf } from "./cpu.ts"
import type { CursorOf, Part } from "./workloads.ts"

export interface StartOptions {
  /** The store's file, or the database's URL. */
  readonly database: string
  /** The core on which the server runs. If absent, the server may use all cores. */
  readonly core?: number
  readonly output: string
  /** The environment variables that make fsync slower, the same for every server: see `slowFsync`. */
  readonly disk?: Readonly<Record<string, string>>
}

export interface Server {
  readonly name: string
  readonly cursorOf: CursorOf
  /** The server's features besides pets. */
  readonly knows: ReadonlyArray<Part>
  /** Starts the server and waits until it listens. The server exits with this program. */
  readonly start: (options: StartOptions) => Promise<Running>
  /** The servers to compare this server with: the same server without a log, and the rival with the same log setting. */
  readonly itself?: string
  readonly rival?: string
  /** The same server from the other checkout. */
  readonly former?: string
}

export type Running = Awaited<ReturnType<typeof run>>

const descendantsOf = (pid: number): ReadonlyArray<number> => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

const run = async (
  { core, output, disk }: StartOptions,
  settings: Readonly<Record<string, string>>,
  program: string,
  args: ReadonlyArray<string>,
) => {
  // Safe: a variable that is not set is not a member.
  // biome-ignore lint/style/noProcessEnv: a child process inherits its parent's environment
  const environment = { ...(process.env as Environment), ...disk, NODE_ENV: "production", PORT: "0", ...settings }
  const launcher = core === undefined ? [] : ["taskset", "-c", String(core)]
  const serving: Service = await startService(environment, { program, args, launcher, output })
  // Before the removal of the folder in which it writes.
  process.prependOnceListener("exit", () => serving.signal("SIGTERM"))
  const { pid, baseUrl } = serving
  return {
    /** The URL of the server's API, including `/v1`. */
    baseUrl,
    /** The CPU time of all the server's processes so far, in µs. */
    cpuMicros: (): number => cpuMicrosOf([pid, ...descendantsOf(pid)]),
    peakMemoryMib: (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
  }
}

/** Creates a cursor with our own use case, on a store that always returns two pets: the one at the position and the next. */
const cursorOfOurs: CursorOf = (after, status) =>
  Effect.runSync(
    listPets({ limit: 1, status: Option.fromNullable(status as "sold" | undefined), after: Option.none() }).pipe(
      Effect.map(({ next }) => Option.getOrThrow(next).cursor),
      // Safe: `listPets` calls only `list`.
      Effect.provideService(PetRepository, {
        list: () => Effect.succeed([0, 1].map((more) => ({ id: PetId.make(BigInt(after + more)), name: "x", categoryId: 1n }))),
      } as unknown as (typeof PetRepository)["Service"]),
    ),
  )

export const commandOf = (checkout: string): string => join(checkout, "apps/http/bin/petstore")

/** This checkout's service, or the other checkout's, with these settings. */
const service = (name: string, settings: Readonly<Record<string, string>>, program = commandPath("petstore")): Server => ({
  name,
  knows: ["rules", "orders"],
  cursorOf: cursorOfOurs,
  start: (options) => {
    const { database } = options
    const url = database.startsWith("postgres:") ? database : `sqlite:${database}`
    return run(options, { DATABASE_URL: url, ...settings }, program, ["serve"])
  },
})

const petstore = (name: string, rival: string, settings: Record<string, string>): Server => ({
  ...service(name, settings),
  itself: "petstore, silent",
  rival,
  former: formerName(name),
})

const silent = { LOG_LEVEL: "silent" } as const

const formerName = (name: string): string => name.replace("petstore", "former petstore")

export const formerServers = (checkout: string): ReadonlyArray<Server> =>
  Object.entries({ petstore: {}, "petstore, silent": silent }).map(([name, settings]) =>
    service(formerName(name), settings, commandOf(checkout)),
  )

const peer = (name: string, title: string, knows: ReadonlyArray<Part> = ["rules"]): Server => ({
  name: title,
  knows,
  cursorOf: (after) => String(after),
  start: (options) => run(options, {}, process.execPath, [join(import.meta.dirname, "peers/main.ts"), name, options.database]),
})

/** Our service with default settings, without a log, and with a log and metrics; the rival with and without a log. */
const besideRival = (quiet: Server, logging: Server): ReadonlyArray<Server> => [
  petstore("petstore", logging.name, {}),
  petstore("petstore, silent", quiet.name, silent),
  petstore("petstore, log and metrics", logging.name, { ADMIN_PORT: "0" }),
  logging,
  quiet,
]

export const limit = peer("limit", "bare node:http, fixed bytes", [])

/** Our service without a log, compared only with itself. */
export const ours: Server = petstore("petstore, silent", "", silent)

export const onPostgres = besideRival(peer("fastify-pg", "Fastify 5 + pg, silent"), peer("fastify-pg-log", "Fastify 5 + pg"))

const onSqlite = besideRival(
  peer("fastify", "Fastify 5 + better-sqlite3, silent"),
  peer("fastify-log", "Fastify 5 + better-sqlite3"),
)

export const fewServers: ReadonlyArray<Server> = [...onSqlite, limit]

export const servers: ReadonlyArray<Server> = [...onSqlite, peer("koa", "Koa 3, naive, node:sqlite"), limit]
