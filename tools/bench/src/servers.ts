/** The servers under test: ours as a user starts it, the peers, and the limit. Each on one core, with a store of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { listPets, PetId, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import type { CursorOf } from "./workloads.ts"

const root = join(import.meta.dirname, "../../..")

export interface Server {
  readonly name: string
  readonly cursorOf: CursorOf
  readonly start: (options: { readonly database: string; readonly port: number; readonly core: number }) => ChildProcess
}

const run = (core: number, command: string, args: ReadonlyArray<string>, environment: Record<string, string>): ChildProcess =>
  spawn("taskset", ["-c", String(core), command, ...args], {
    // biome-ignore lint/style/noProcessEnv: a started program inherits the environment of its starter
    env: { ...process.env, NODE_ENV: "production", ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  })

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

const ours: Server = {
  name: "petstore",
  cursorOf: cursorOfOurs,
  start: ({ database, port, core }) =>
    run(core, join(root, "apps/http/bin/petstore"), ["serve"], {
      DATABASE_URL: database.startsWith("postgres:") ? database : `sqlite:${database}`,
      PORT: String(port),
      LOG_LEVEL: "silent",
    }),
}

const peer = (name: string, title: string): Server => ({
  name: title,
  cursorOf: (after) => String(after),
  start: ({ database, port, core }) =>
    run(core, process.execPath, [join(import.meta.dirname, "peers/main.ts"), name, database, String(port)], {}),
})

export const fastify = peer("fastify", "Fastify 5 + better-sqlite3")
export const fastifyOnPostgres = peer("fastify-pg", "Fastify 5 + pg")
export const limit = peer("limit", "bare node:http, fixed bytes")

export const servers: ReadonlyArray<Server> = [
  ours,
  fastify,
  peer("express", "Express 5 + better-sqlite3"),
  peer("hono", "Hono 4 + node:sqlite"),
  peer("koa", "Koa 3, naive, node:sqlite"),
  limit,
]

export { ours }

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
