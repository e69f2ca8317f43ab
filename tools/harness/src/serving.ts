/** Runs the built service as a process, with access to its output, signals and exit. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { commandPath, type Environment, withoutStore } from "./command.ts"
import { childrenOf, signal as signalProcesses } from "./processes.ts"

/** The timeout for a working service on a busy machine, in ms. */
const timeoutMillis = 240_000

const pollMillis = 10

export interface StartOptions {
  /** The program to start instead of this repository's `petstore`. */
  readonly program?: string
  /** The program's arguments, instead of `serve`. */
  readonly args?: ReadonlyArray<string>
  /** A program that starts the service, with its arguments: `taskset -c 0` or `unshare --pid --fork`. */
  readonly launcher?: ReadonlyArray<string>
  /** Finds the service's process, if the launcher keeps running. */
  readonly processOf?: (pid: number) => number
  /** A file for the service's output, as an operator would redirect it. */
  readonly output?: string
  /** A file descriptor of this process, which the service inherits as number 3. */
  readonly inherited?: number
}

export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Starts `petstore serve` and waits until it prints its address. Fails with the service's output if the service exits first. */
export const startService = async (environment: Environment, options: StartOptions = {}): Promise<Service> => {
  const service = new Service(environment, options)
  try {
    await service.until(() => service.printed().includes(" is served at "), "its address")
    return service
  } catch (cause) {
    await service.kill()
    throw cause
  }
}

export class Service {
  readonly #child: ChildProcess
  readonly #options: StartOptions
  readonly ended: Promise<End>
  #isOver = false
  #pid: number | undefined
  readonly #logLines: Array<Record<string, unknown>> = []
  #readUpTo = 0
  #stdout = ""
  #stderr = ""

  constructor(environment: Environment, options: StartOptions) {
    this.#options = options
    const [program = "", ...args] = [
      ...(options.launcher ?? []),
      options.program ?? commandPath("petstore"),
      ...(options.args ?? ["serve"]),
    ]
    const file = options.output === undefined ? undefined : openSync(options.output, "a")
    const outputs = ["ignore", file ?? "pipe", file ?? "pipe"] as const
    const stdio = options.inherited === undefined ? outputs : [...outputs, options.inherited]
    this.#child = spawn(program, args, { env: environment, stdio: [...stdio] })
    if (file !== undefined) closeSync(file)
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text
    })
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text
    })
    this.#child.once("error", ({ message }) => {
      this.#stderr += message
    })
    // `close`, not `exit`, because all output has arrived only when `close` is emitted.
    this.ended = new Promise((resolve) =>
      this.#child.once("close", (code, signal) => {
        this.#isOver = true
        resolve({ code, signal })
      }),
    )
  }

  get isRunning(): boolean {
    return !this.#isOver
  }

  /** The standard output so far, or all output if the output goes to a file. */
  get stdout(): string {
    return this.#options.output === undefined ? this.#stdout : readFileSync(this.#options.output, "utf8")
  }

  /** The standard error so far, without the line that names the store. */
  get stderr(): string {
    return withoutStore(this.#stderr)
  }

  printed(): string {
    return this.stdout + this.#stderr
  }

  /** The URL of the API, including `/v1`. */
  get baseUrl(): string {
    return captured(/is served at ([^\s"]+)/, this.printed())
  }

  get origin(): string {
    return new URL(this.baseUrl).origin
  }

  /** The first API key, which a development service prints once for a new store. */
  get key(): string {
    return captured(/Bearer (pst_dev_\w+)/, this.printed())
  }

  /** The id of the service's process. Without `processOf`, a launcher must replace itself with that process (exec). */
  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error("the service was not started")
    this.#pid ??= this.#options.processOf?.(pid) ?? pid
    return this.#pid
  }

  workerPids(): ReadonlyArray<number> {
    return childrenOf(this.pid)
  }

  /** The log so far, line by line. Tests call this method often, so the method parses only new lines. */
  logLines(): ReadonlyArray<Record<string, unknown>> {
    const { stdout } = this
    const end = stdout.lastIndexOf("\n") + 1
    for (const line of stdout.slice(this.#readUpTo, end).split("\n")) {
      if (line.startsWith("{")) this.#logLines.push(JSON.parse(line))
    }
    this.#readUpTo = end
    return this.#logLines
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) signalProcesses(signal, [this.pid])
  }

  /** Stops the service (SIGTERM) and waits until it has exited. Returns its exit code. */
  async stop(): Promise<number | null> {
    this.signal("SIGTERM")
    return (await this.ended).code
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Kills the service and its workers (SIGKILL), and waits until they have exited. */
  async kill(): Promise<void> {
    if (this.isRunning && this.#child.pid !== undefined) {
      signalProcesses("SIGKILL", [this.pid, ...this.workerPids()])
    }
    await this.ended
  }

  /** Waits until a condition holds. Fails if the service exits first, or after a timeout. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const tooLateAt = performance.now() + timeoutMillis
    while (!(await condition())) {
      if (this.#isOver) throw new Error(`waited for ${what}, but the service exited:\n${this.#story()}`)
      if (performance.now() > tooLateAt)
        throw new Error(`waited in vain for ${what} (${timeoutMillis / 1000} s):\n${this.#story()}`)
      await sleep(pollMillis)
    }
  }

  /** The service's log, without the lines about requests. */
  #story(): string {
    const lines = this.stdout.split("\n").filter((line) => !line.includes('"msg":"answered"'))
    return [...lines, this.#stderr].join("\n")
  }
}

const captured = (pattern: RegExp, text: string): string => {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`${pattern} is not in:\n${text}`)
  return found
}
