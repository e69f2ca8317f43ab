/** Runs the built `petstore` command as an operator does: processes, signals, standard output. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"

/** A time that no working service needs, on a machine that is busy with other tests, in ms. */
const timeoutMillis = 60_000

export type Environment = Readonly<Record<string, string>>

const command = join(import.meta.dirname, "../bin/petstore")

/** A folder of its own for one test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-operations-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The settings of a test: nothing of the caller's environment reaches the command. */
export const environmentIn = (folder: string, settings: Environment = {}): Environment => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  DATABASE_URL: `sqlite:${join(folder, "petstore.db")}`,
  PORT: "0",
  ...settings,
})

/** What a command said on standard error beside the name of its store. */
export const withoutStore = (stderr: string): string =>
  stderr.replace(/^(?:petstore: |\{.*"msg":")(?:made a new )?store: .*\n/gm, "")

export interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
const runProgram = async (program: string, environment: Environment, args: ReadonlyArray<string>): Promise<Ended> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [...args], { env: environment, timeout: timeoutMillis })
    return { exitCode: 0, stdout, stderr: withoutStore(stderr) }
  } catch (thrown) {
    // Safe: execFile adds these to the error of a command that ran.
    const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string }
    return { exitCode: code, stdout, stderr: withoutStore(stderr) }
  }
}

/** Runs a `petstore` command to its end. */
export const run = (environment: Environment, ...args: ReadonlyArray<string>): Promise<Ended> =>
  runProgram(command, environment, args)

/** Runs a script of this repository to its end, on the Node of the tests. */
export const runScript = (environment: Environment, script: string, ...args: ReadonlyArray<string>): Promise<Ended> =>
  runProgram(process.execPath, environment, [script, ...args])

/** A service in the background. */
export class ServiceProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  readonly #logLines: Array<Record<string, unknown>> = []
  #readUpTo = 0
  stdout = ""
  #stderr = ""

  private constructor(environment: Environment, program: string) {
    this.#child = spawn(program, ["serve"], { env: environment, stdio: ["ignore", "pipe", "pipe"] })
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text
    })
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text
    })
    // `close`, not `exit`: by then everything it printed has arrived.
    this.ended = new Promise((resolve) => this.#child.once("close", (code, signal) => resolve({ code, signal })))
    onTestFinished(async () => {
      for (const pid of this.workerPids()) kill(pid, "SIGKILL")
      this.#child.kill("SIGKILL")
      await this.ended
    })
  }

  /** Starts the service, of this or of another release, and waits until it has announced itself. */
  static async serving(environment: Environment, program = command): Promise<ServiceProcess> {
    const service = new ServiceProcess(environment, program)
    await service.until(() => service.stdout.includes(" is served at "), "the announcement")
    return service
  }

  get stderr(): string {
    return withoutStore(this.#stderr)
  }

  /** Where the API is served, `/v1` included. */
  get baseUrl(): string {
    return captured(/is served at ([^\s"]+)/, this.stdout)
  }

  /** The first API key, which a development service shows once. */
  get key(): string {
    return captured(/Bearer (pst_dev_\w+)/, this.stdout)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The processes that the service started, as Linux tells (proc(5)). */
  workerPids(): ReadonlyArray<number> {
    try {
      return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    } catch {
      return []
    }
  }

  /** The log so far, line by line: it is asked for again and again, so only what is new is read. */
  logLines(): ReadonlyArray<Record<string, unknown>> {
    const end = this.stdout.lastIndexOf("\n") + 1
    for (const line of this.stdout.slice(this.#readUpTo, end).split("\n")) {
      if (line.startsWith("{")) this.#logLines.push(JSON.parse(line))
    }
    this.#readUpTo = end
    return this.#logLines
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** What the service said, without the lines of requests. */
  #story(): string {
    const lines = this.stdout.split("\n").filter((line) => !line.includes('"msg":"answered"'))
    return [...lines, this.stderr].join("\n")
  }

  /** Waits until something has happened. Fails if the service ends before, or after a time that no working service needs. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    let over = false
    void this.ended.then(() => {
      over = true
    })
    const tooLateAt = performance.now() + timeoutMillis
    while (!(await condition())) {
      if (over) throw new Error(`the service ended before ${what}:\n${this.#story()}`)
      if (performance.now() > tooLateAt) throw new Error(`waited in vain for ${what}:\n${this.#story()}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const kill = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

const captured = (pattern: RegExp, text: string): string => {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`${pattern} is not in:\n${text}`)
  return found
}

/** The fields of `/proc/PID/stat` from the third on (proc(5)); the second one, in brackets, may hold anything. */
const statOf = (pid: number): ReadonlyArray<string> => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

/** Whether a process runs. One that has ended may still be in the table until its parent asks. */
export const isRunning = (pid: number): boolean => !["Z", "X", undefined].includes(statOf(pid)[0])
