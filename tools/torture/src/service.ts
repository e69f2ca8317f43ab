/** The built service as a process that can be killed, frozen and started again. */
import { commandPath, type Environment, runInVain } from "@petstore/harness/command"
import { type Service as Serving, type StartOptions, startService } from "@petstore/harness/serving"

export class Service {
  readonly #environment: Environment
  readonly #options: StartOptions
  #serving: Serving | undefined
  /** The service's current or last address. */
  url = ""

  constructor(environment: Environment, options: StartOptions) {
    this.#environment = environment
    this.#options = options
  }

  get #running(): Serving {
    if (this.#serving === undefined) throw new Error("the service is not running")
    return this.#serving
  }

  get pid(): number {
    return this.#running.pid
  }

  /** Starts the service and waits until it prints its address. Fails if the service exits first. */
  async start(): Promise<void> {
    this.#serving = await startService(this.#environment, this.#options)
    this.url = this.#serving.baseUrl
  }

  async kill(): Promise<void> {
    const serving = this.#serving
    this.#serving = undefined
    await serving?.kill()
  }

  /** Sends SIGTERM, as an operator would. Fails unless the service exits with code 0. */
  async stop(): Promise<void> {
    const serving = this.#running
    this.#serving = undefined
    const code = await serving.stop()
    if (code !== 0) throw new Error(`after SIGTERM the service exited with ${code}: ${serving.printed().slice(-500)}`)
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal)
  }

  /** Starts the service and kills it soon after, most likely before it listens. */
  async startInVain(afterMillis: number): Promise<void> {
    await runInVain(this.#environment, [commandPath("petstore"), "serve"], afterMillis)
  }
}
