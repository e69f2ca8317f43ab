/** Our service on a disk whose fsync is made slower, or on the disk as it is. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { cpuMicrosOf } from "./cpu.ts"
import { untilItAnswers } from "./servers.ts"

const petstore = join(import.meta.dirname, "../../../apps/http/bin/petstore")

interface SlowServiceOptions {
  readonly database: string
  /** An API key of that store. */
  readonly key: string
  readonly port: number
  /** What makes fsync slower: see `slowFsync`. */
  readonly disk: Readonly<Record<string, string>>
  /** `WORKERS`, if not as the environment says. */
  readonly workers?: number
}

export interface SlowService {
  /** Processor time of all its processes so far, in µs. */
  readonly cpuMicros: () => number
  readonly stop: () => Promise<void>
}

/** The processes that a process has started, and those that they have. */
const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim()
  return children === "" ? [] : children.split(" ").flatMap((child) => [Number(child), ...descendantsOf(Number(child))])
}

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once("exit", resolve))

/** Starts the service and waits until it answers. */
export const startSlowService = async ({ database, key, port, disk, workers }: SlowServiceOptions): Promise<SlowService> => {
  const service = spawn(petstore, ["serve"], {
    env: {
      // biome-ignore lint/style/noProcessEnv: a started program inherits the environment of its starter
      ...process.env,
      ...disk,
      DATABASE_URL: `sqlite:${database}`,
      PORT: String(port),
      LOG_LEVEL: "silent",
      ...(workers === undefined ? {} : { WORKERS: String(workers) }),
    },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  })
  const { pid } = service
  if (pid === undefined) throw new Error(`${petstore} cannot be started.`)
  await untilItAnswers(port, key)
  return {
    cpuMicros: () => cpuMicrosOf([pid, ...descendantsOf(pid)]),
    stop: async () => {
      process.kill(-pid, "SIGTERM")
      await ended(service)
    },
  }
}
