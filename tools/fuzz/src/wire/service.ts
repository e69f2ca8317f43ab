/** The service under fuzz: a process of its own with the settings of a user, its log read for what must not be in it. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import type { Environment } from "@petstore/harness/serving"
import type { Signal } from "./scenario.ts"

/** A time that no service needs to start, in ms. */
const timeoutMillis = 30_000

/** What the primary says when a SIGHUP has been obeyed. */
const replacedLine = /"msg":"every worker was replaced"/

/** The level of a line of the log that tells of a fault (pino). */
const faultLevel = /"level":[56]0\b/

export class Service {
  readonly #child: ChildProcess
  readonly #faults: Array<string> = []
  #hasEnded = false
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** Where the API is served. */
  address = new URL("http://127.0.0.1")
  /** The key that a service of development shows when its store is new. */
  key: string | undefined

  private constructor(command: string, environment: Environment) {
    this.#child = spawn(command, ["serve"], { env: environment, stdio: ["ignore", "pipe", "pipe"] })
    this.ended = new Promise((resolve) => this.#child.once("close", (code, signal) => resolve(code ?? signal ?? "nothing")))
    void this.ended.then(() => {
      this.#hasEnded = true
    })
  }

  /** Starts the service and waits until it says where it serves. */
  static async start(command: string, environment: Environment): Promise<Service> {
    const service = new Service(command, environment)
    await new Promise<void>((resolve, reject) => {
      const tooLate = setTimeout(() => reject(new Error("the service does not start")), timeoutMillis)
      service.#listen((line) => {
        const key = /Bearer (pst_dev_\w+)/.exec(line)?.[1]
        if (key !== undefined) service.key = key
        const address = /is served at ([^\s"]+)/.exec(line)?.[1]
        if (address !== undefined) {
          service.address = new URL(address)
          // The line with the key of a new store comes next, in the same write.
          setImmediate(resolve)
        }
      })
      void service.ended.then((end) => reject(new Error(`the service ended with ${end}: ${service.takeFaults().join("\n")}`)))
      void service.ended.finally(() => clearTimeout(tooLate))
      service.#onceReady = () => clearTimeout(tooLate)
    })
    service.#onceReady()
    return service
  }

  #onceReady = (): void => {}

  #replaced = (): void => {}

  /** Replaces the workers. Resolves when every one was replaced, or the service has ended, or after a time that no service needs. */
  async replaceWorkers(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#replaced = resolve
    this.signal("SIGHUP")
    await Promise.race([promise, this.ended, sleep(timeoutMillis, undefined, { ref: false })])
  }

  #listen(hear: (line: string) => void): void {
    const { stdout, stderr } = this.#child
    if (stdout === null || stderr === null) return
    createInterface({ input: stdout }).on("line", (line) => {
      if (!line.startsWith("{")) hear(line)
      else if (faultLevel.test(line)) this.#faults.push(line)
      else if (replacedLine.test(line)) this.#replaced()
    })
    createInterface({ input: stderr }).on("line", (line) => this.#faults.push(line))
  }

  get isRunning(): boolean {
    return !this.#hasEnded
  }

  /** What it said of faults since this was asked last: lines of its log of level error or above, and its standard error. */
  takeFaults(): ReadonlyArray<string> {
    return this.#faults.splice(0)
  }

  signal(name: Signal["name"]): void {
    this.#child.kill(name)
  }

  /** Waits until it has ended, at most so long. Gives its exit code or signal, or nothing if it still runs. */
  async untilEnded(millis: number): Promise<number | string | undefined> {
    const stop = new AbortController()
    const end = await Promise.race([this.ended, sleep(millis, undefined, { signal: stop.signal }).catch(() => undefined)])
    stop.abort()
    return end
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.ended
  }
}
