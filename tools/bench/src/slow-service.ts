/** Our service on a disk whose fsync is made slower with strace, or on the disk as it is. */
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
  /** How much longer fsync takes, in ms; 0 is without strace. */
  readonly fsyncMillis: number
  /** `WORKERS`, if not as the environment says. */
  readonly workers?: number
}

export interface SlowService {
  /** Processor time of all its processes so far, without that of strace, in µs. */
  readonly cpuMicros: () => number
  readonly stop: () => Promise<void>
}

const slowed = (fsyncMillis: number): readonly [string, ...ReadonlyArray<string>] =>
  fsyncMillis === 0
    ? [petstore]
    : [
        ...(["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"] as const),
        ...["-e", `inject=fsync,fdatasync:delay_exit=${fsyncMillis * 1000}`, petstore],
      ]

/** The processes that a process has started, and those that they have. */
const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim()
  return children === "" ? [] : children.split(" ").flatMap((child) => [Number(child), ...descendantsOf(Number(child))])
}

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once("exit", resolve))

/** Starts the service and waits until it answers. */
export const startSlowService = async ({
  database,
  key,
  port,
  fsyncMillis,
  workers,
}: SlowServiceOptions): Promise<SlowService> => {
  const [command, ...args] = slowed(fsyncMillis)
  const service = spawn(command, [...args, "serve"], {
    env: {
      // biome-ignore lint/style/noProcessEnv: a started program inherits the environment of its starter
      ...process.env,
      DATABASE_URL: `sqlite:${database}`,
      PORT: String(port),
      LOG_LEVEL: "silent",
      ...(workers === undefined ? {} : { WORKERS: String(workers) }),
    },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  })
  const { pid } = service
  if (pid === undefined) throw new Error(`${command} cannot be started.`)
  await untilItAnswers(port, key)
  return {
    cpuMicros: () => cpuMicrosOf([...(fsyncMillis === 0 ? [pid] : []), ...descendantsOf(pid)]),
    stop: async () => {
      process.kill(-pid, "SIGTERM")
      await ended(service)
    },
  }
}
