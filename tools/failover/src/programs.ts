/** The programs of the system that the drill runs, and as whom. */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { accessSync, constants, globSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

/** The drill cannot run on this machine. The message says what is missing and how to get it. */
export class Missing extends Error {}

/** Debian keeps the programs of the server out of the path; the newest comes first. */
const folders = (): ReadonlyArray<string> => [
  ...globSync("/usr/lib/postgresql/*/bin").sort((one, other) => other.localeCompare(one, "en", { numeric: true })),
  // biome-ignore lint/style/noProcessEnv: the path of the shell is where programs are
  ...(process.env["PATH"] ?? "").split(delimiter),
  "/usr/sbin",
]

const find = (name: string, debianPackage: string): string => {
  for (const folder of folders()) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  throw new Missing(`The drill needs the program ${name}. On Debian: apt-get install ${debianPackage}`)
}

export interface Programs {
  readonly initdb: string
  readonly postgres: string
  readonly baseBackup: string
  readonly control: string
  /** Only if the drill runs through a pooler. */
  readonly pgbouncer: string | undefined
}

/** Finds every program, or fails with `Missing`. */
export const findPrograms = (withPooler: boolean): Programs => ({
  initdb: find("initdb", "postgresql"),
  postgres: find("postgres", "postgresql"),
  baseBackup: find("pg_basebackup", "postgresql"),
  control: find("pg_ctl", "postgresql"),
  pgbouncer: withPooler ? find("pgbouncer", "pgbouncer") : undefined,
})

/** User and group under which servers run: they refuse to be root. `undefined` for the user who runs the drill. */
export interface Identity {
  readonly uid: number
  readonly gid: number
}

/** Debian's package makes the user `postgres`. */
export const findIdentity = (): Identity | undefined => {
  if (process.getuid?.() !== 0) return undefined
  try {
    const ask = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
    return { uid: ask("-u"), gid: ask("-g") }
  } catch {
    throw new Missing(
      "As root, the drill runs its servers as the user postgres, and there is none. On Debian: apt-get install postgresql",
    )
  }
}

// biome-ignore lint/style/noProcessEnv: what the drill starts inherits its environment
const inherited = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...process.env, ...environment })

const runToEnd = promisify(execFile)

/**
 * Runs a program to its end and answers its output. Fails with what it said. The drill goes on
 * meanwhile: the program may talk to the store through a line of ours.
 */
export const run = async (
  identity: Identity | undefined,
  program: string,
  args: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv = {},
): Promise<string> => {
  const options = { ...identity, cwd: "/", timeout: 60_000, env: inherited(environment) }
  return (await runToEnd(program, [...args], options)).stdout
}

export interface Running {
  readonly process: ChildProcess
  /** What it said so far. */
  readonly output: () => string
  /** Sends a signal, and waits until the program is gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
}

/** Starts a program that goes on. What it says is kept for the case that it fails. */
export const start = (
  identity: Identity | undefined,
  program: string,
  args: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv = {},
): Running => {
  const child = spawn(program, [...args], {
    ...identity,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
    env: inherited(environment),
  })
  const lines: Array<string> = []
  child.stdout.on("data", (bytes) => lines.push(String(bytes)))
  child.stderr.on("data", (bytes) => lines.push(String(bytes)))
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.once("error", () => resolve())
  })
  return {
    process: child,
    output: () => lines.join(""),
    end: async (signal) => {
      child.kill(signal)
      await gone
    },
  }
}

/** Waits until something is true. Fails with a sentence after some time. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>, timeoutMillis = 20_000): Promise<void> => {
  const endMillis = performance.now() + timeoutMillis
  while (!(await holds())) {
    if (performance.now() > endMillis) throw new Error(`gave up waiting until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
