/** Starts a built command of this repository as a user would: a process of its own, port 0, a store in a temporary folder. */
import assert from "node:assert/strict"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { members, readJson } from "./exact-json.ts"

export type Environment = Readonly<Record<string, string>>

/** A temporary folder with a store, and the settings that name it. */
export class TemporaryStore {
  readonly directory = mkdtempSync(join(tmpdir(), "petstore-"))
  /** Nothing of the caller's environment reaches the commands. */
  readonly environment: Environment = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    DATABASE_URL: `sqlite:${join(this.directory, "petstore.db")}`,
    PORT: "0",
    LOG_LEVEL: "silent",
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** The file that starts a command of this repository. */
export const commandPath = (command: string): string => join(import.meta.dirname, "../../../node_modules/.bin", command)

const run = promisify(execFile)

/** Runs `petstore …ARGUMENTS --json` and gives the members of what it prints. */
export const petstore = async (environment: Environment, ...args: ReadonlyArray<string>) => {
  const { stdout } = await run(commandPath("petstore"), [...args, "--json"], { env: environment })
  const printed = members(readJson(stdout))
  assert.ok(printed !== undefined, `one object: ${stdout}`)
  return printed
}

/** Creates an API key for this account, which must exist. Gives its id, the key, and when it expires. */
export const createKey = async (environment: Environment, account: string, ...options: ReadonlyArray<string>) => {
  const { id, key, expiresAt } = await petstore(environment, "keys", "create", "--account", account, ...options)
  assert.ok(typeof id === "string" && typeof key === "string")
  return { id, key, expiresAt: typeof expiresAt === "string" ? new Date(expiresAt) : undefined }
}

/** A running service. */
export interface Serving {
  /** The first address it printed. */
  readonly url: string
  /** Of the process that serves: the launcher becomes it. */
  readonly pid: number
  /** Everything it printed so far, its log included. */
  readonly printed: () => string
  /** Asks it to stop (SIGTERM) and waits until it has. Gives its exit code. */
  readonly stop: () => Promise<number | null>
  /** Ends it at once (SIGKILL) and waits until it is gone. */
  readonly kill: () => Promise<void>
}

/** Starts a command that serves, and waits until it prints an address. Fails with what it printed if it ends before. */
export const startServing = (environment: Environment, command: string, ...args: ReadonlyArray<string>): Promise<Serving> =>
  startProgram(environment, command, [commandPath(command), ...args])

/** The same within the namespaces that `unshare` makes with these options. What is signalled is the command in them. */
export const startUnshared = (
  environment: Environment,
  options: ReadonlyArray<string>,
  command: string,
  ...args: ReadonlyArray<string>
): Promise<Serving> =>
  startProgram(environment, command, ["unshare", ...options, commandPath(command), ...args], ({ pid }) =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1")),
  )

const startProgram = async (
  environment: Environment,
  command: string,
  [program = command, ...args]: ReadonlyArray<string>,
  processOf?: (child: ChildProcess) => number | undefined,
): Promise<Serving> => {
  const child = spawn(program, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] })
  let printed = ""
  const take = (bytes: Buffer) => {
    printed += bytes.toString()
  }
  child.stdout.on("data", take)
  child.stderr.on("data", take)
  return onceServing(child, command, () => printed, processOf)
}

/** The same with everything that it prints, its log included, in this file, as an operator would do it. */
export const startLogging = async (
  environment: Environment,
  file: string,
  command: string,
  ...args: ReadonlyArray<string>
): Promise<Serving> => {
  const descriptor = openSync(file, "a")
  try {
    const child = spawn(commandPath(command), args, { env: environment, stdio: ["ignore", descriptor, descriptor] })
    return await onceServing(child, command, () => readFileSync(file, "utf8"))
  } finally {
    closeSync(descriptor)
  }
}

/** How often what a command printed is looked at, in ms. */
const lookMillis = 10

/** Waits until a command prints an address. */
const onceServing = async (
  child: ChildProcess,
  command: string,
  printed: () => string,
  processOf: (child: ChildProcess) => number | undefined = ({ pid }) => pid,
): Promise<Serving> => {
  let failure: Error | undefined
  child.once("error", (error) => {
    failure = error
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  void ended.then((code) => {
    failure ??= new Error(`${command} ended with ${code}:\n${printed()}`)
  })
  let url: string | undefined
  while (url === undefined) {
    if (failure !== undefined) throw failure
    await sleep(lookMillis)
    url = /https?:\/\/[^\s"]+(?=[\s"])/.exec(printed())?.[0]
  }
  // A process that printed something has a pid.
  const pid = processOf(child) ?? 0
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, name)
  }
  const stop = () => {
    signal("SIGTERM")
    return ended
  }
  const kill = async () => {
    signal("SIGKILL")
    await ended
  }
  return { url, pid, printed, stop, kill }
}

/** Waits until a moment has passed. */
export const until = (moment: Date): Promise<void> => sleep(Math.max(0, moment.getTime() - Date.now() + 1))
