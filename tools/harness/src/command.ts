/** Runs this repository's built commands as an operator does, with settings and arguments, and returns their output. */
import assert from "node:assert/strict"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { members, readJson } from "./exact-json.ts"

/** The timeout for a command on a busy machine, in ms. */
const timeoutMillis = 240_000

export type Environment = Readonly<Record<string, string>>

/** The file that starts one of this repository's commands. */
export const commandPath = (command: string): string => join(import.meta.dirname, "../../../node_modules/.bin", command)

// biome-ignore lint/style/noProcessEnv: the folder for a test run's compiled code, which saves each process a fifth of its startup
const compiled = process.env["NODE_COMPILE_CACHE"]

/** A command's settings. It inherits only the compile cache. The statement timeout is for busy machines; its tests set theirs. */
export const environmentOf = (settings: Environment): Environment => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  POSTGRES_STATEMENT_TIMEOUT_MS: "20000",
  ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
  PORT: "0",
  ...settings,
})

export const environmentIn = (folder: string, settings: Environment = {}): Environment =>
  environmentOf({ DATABASE_URL: `sqlite:${join(folder, "petstore.db")}`, ...settings })

export const inMemory = (settings: Environment = {}): Environment =>
  environmentOf({ DATABASE_URL: "memory:", LOG_LEVEL: "silent", ...settings })

/** A temporary folder with a store, and the settings for that store. */
export class TemporaryStore {
  readonly directory = mkdtempSync(join(tmpdir(), "petstore-"))
  readonly environment = environmentIn(this.directory, { LOG_LEVEL: "silent" })

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  [Symbol.dispose](): void {
    this.remove()
  }
}

/** Removes the line that names the store from a command's standard error. */
export const withoutStore = (stderr: string): string =>
  stderr.replace(/^(?:petstore: |\{.*"msg":")(?:created a new )?store: .*\n/gm, "")

export interface Ended {
  /** The exit code, or `null` after a signal. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to completion in a folder, with this standard input. */
export const runProgram = (
  environment: Environment,
  program: string,
  args: ReadonlyArray<string>,
  { folder, input = "" }: { readonly folder?: string; readonly input?: string } = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const child: ChildProcess = execFile(
      program,
      args,
      { env: environment, timeout: timeoutMillis, maxBuffer: 2 ** 26, ...(folder === undefined ? {} : { cwd: folder }) },
      (_failure, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    )
    child.stdin?.end(input)
  })

/** Starts a program and kills it after a delay. Returns whether the kill came before the program exited on its own. */
export const runInVain = async (
  environment: Environment,
  [program = "", ...args]: ReadonlyArray<string>,
  afterMillis: number,
): Promise<boolean> => {
  const child = spawn(program, args, { env: environment, stdio: "ignore" })
  const ended = once(child, "exit")
  await Promise.race([ended, sleep(afterMillis)])
  child.kill("SIGKILL")
  const [, signal] = await ended
  return signal === "SIGKILL"
}

/** Runs a `petstore` command to completion. The returned standard error omits the line that names the store. */
export const run = async (environment: Environment, ...args: ReadonlyArray<string>): Promise<Ended> => {
  const ended = await runProgram(environment, commandPath("petstore"), args)
  return { ...ended, stderr: withoutStore(ended.stderr) }
}

/** Runs `petstore …ARGUMENTS --json` and returns the printed object. A failed command's standard error is in the error. */
export const petstore = async (environment: Environment, ...args: ReadonlyArray<string>) => {
  const { exitCode, stdout, stderr } = await runProgram(environment, commandPath("petstore"), [...args, "--json"])
  assert.equal(exitCode, 0, `petstore ${args.join(" ")}: ${stderr}`)
  const printed = members(readJson(stdout))
  assert.ok(printed !== undefined, `expected one object: ${stdout}`)
  return printed
}

/** Creates an API key for this account, which must exist. Returns the key, its id and its expiry. */
export const createKey = async (environment: Environment, account: string, ...options: ReadonlyArray<string>) => {
  const { id, key, expiresAt } = await petstore(environment, "keys", "create", "--account", account, ...options)
  assert.ok(typeof id === "string" && typeof key === "string")
  return { id, key, expiresAt: typeof expiresAt === "string" ? new Date(expiresAt) : undefined }
}

export const until = (timestamp: Date): Promise<void> => sleep(Math.max(0, timestamp.getTime() - Date.now() + 1))
