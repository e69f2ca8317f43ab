/** Plays each seed's scenario against the service and checks its outcome. */
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "@petstore/harness/client"
import { type Environment, TemporaryStore } from "@petstore/harness/command"
import { expectStatus, type Pet, pageOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import { type Service, startService } from "@petstore/harness/serving"
import fc from "fast-check"
import { play, readMillis } from "./caller.ts"
import { checkConversation, checkKept, scriptOf } from "./oracle.ts"
import { calm, type Scenario, stopping } from "./scenario.ts"
import { showScenario } from "./transcript.ts"

interface WireSettings {
  /** The file that starts the service. */
  readonly command: string
  /** The URL of an empty store. If absent, a SQLite file in a temporary folder is used. */
  readonly databaseUrl?: string | undefined
  readonly first: number
  readonly last: number
  /** How long to start further seeds, in seconds. */
  readonly seconds?: number
  /** How long to shrink a failing scenario, in ms. 0 leaves it unchanged. */
  readonly shrinkMillis: number
}

export interface WireFailure {
  readonly seed: number
  /** The first findings. */
  readonly findings: ReadonlyArray<string>
  /** The smallest failing scenario, with its own findings. */
  readonly transcript: string
}

/** More time than any service needs for one conversation, in ms: in the first run, and while a failing scenario is shrunk. */
const timeouts = { firstMillis: 30_000, shrinkingMillis: 2_000 } as const

/** How long the service may take to stop, in ms: the promised time (SHUTDOWN_MS) plus a margin for a busy machine. */
const shutdownMillis = 10_000 + 5_000

/** The number of pets before the first seed. A connection's buffers cannot hold many copies of the page with these pets. */
const firstPets = 100

/** How many of the last pages are read again, because PostgreSQL can commit a pet after others with higher identifiers. */
const overlap = 3

/** The kind of scenario that a seed draws. Seeds share a service until one stops it. */
const kindOf = (seed: number): fc.Arbitrary<Scenario> => (seed % 64 === 21 || seed % 64 === 42 ? stopping : calm)

/** Waits up to a timeout for the service to exit. Returns the exit code or signal, or nothing if the service is still running. */
const untilEnded = async (service: Service, millis: number): Promise<number | string | undefined> => {
  const end = await Promise.race([service.ended, sleep(millis, undefined, { ref: false })])
  return end === undefined ? undefined : (end.code ?? end.signal ?? "nothing")
}

/** Returns what a service has logged at level error or above (pino), or on standard error, since the last call. */
const faultsOf = (service: Service): (() => ReadonlyArray<string>) => {
  let lineCount = 0
  let heard = 0
  return () => {
    const [lines, { stderr }] = [service.logLines(), service]
    const faults = lines.slice(lineCount).filter(({ level }) => Number(level) >= 50)
    const said = stderr.slice(heard).split("\n").filter(Boolean)
    lineCount = lines.length
    heard = stderr.length
    return [...faults.map((line) => JSON.stringify(line)), ...said]
  }
}

class Trial {
  readonly #store = new TemporaryStore()
  readonly #settings: Pick<WireSettings, "command" | "databaseUrl">
  #service: Service | undefined
  #newFaults: () => ReadonlyArray<string> = () => []
  /** The last pages of the previous read. */
  #lastPages: ReadonlyArray<{ readonly target: string; readonly pets: ReadonlyArray<Pet> }> = []
  key = ""
  /** Pets of clients that disconnected or stalled. Each may still appear later, but at most once. */
  readonly #mayTurnUp = new Set<string>()
  #attempts = 0

  constructor(settings: Pick<WireSettings, "command" | "databaseUrl">) {
    this.#settings = settings
  }

  async #serving(): Promise<Service> {
    if (this.#service?.isRunning) return this.#service
    await this.#stop()
    const { command, databaseUrl } = this.#settings
    const { LOG_LEVEL: _silent, ...environment } = this.#store.environment
    // The log level keeps its default, as for a user, because this program reads the log.
    const settings: Environment = {
      ...environment,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      READ_MS: String(readMillis),
    }
    const service = await startService(settings, { program: command })
    this.#service = service
    this.#newFaults = faultsOf(service)
    if (this.#lastPages.length === 0) {
      this.key = service.key
      await this.#fill(service.baseUrl)
      await this.#newNames(service.baseUrl)
    }
    return service
  }

  async #fill(baseUrl: string): Promise<void> {
    using client = new Client(baseUrl, this.key)
    for (let index = 0; index < firstPets; index += 1) {
      const body = JSON.stringify({ name: `${"x".repeat(1000)}${index}`, categoryId: 1 })
      expectStatus(await client.send({ method: "POST", body }), 201)
    }
  }

  /** Returns the names of the pets that have been added since the previous call, oldest first. */
  async #newNames(baseUrl: string): Promise<ReadonlyArray<string>> {
    const told = new Set(this.#lastPages.flatMap(({ pets }) => pets.map(({ id }) => id)))
    const pages: Array<{ readonly target: string; readonly pets: ReadonlyArray<Pet> }> = []
    using client = new Client(baseUrl, this.key)
    for await (const { target, response } of pagesFrom(client, this.#lastPages[0]?.target ?? "/v1/pets?limit=100")) {
      pages.push({ target, pets: pageOf(response) })
    }
    this.#lastPages = pages.slice(-overlap)
    return pages.flatMap(({ pets }) => pets.filter(({ id }) => !told.has(id)).map(({ name }) => name))
  }

  async #stop(): Promise<void> {
    const service = this.#service
    this.#service = undefined
    if (!service?.isRunning) return
    service.signal("SIGTERM")
    if ((await untilEnded(service, shutdownMillis)) === undefined) await service.kill()
  }

  /** Plays one scenario. Returns the faults and a transcript. */
  async play(seed: number, scenario: Scenario, timeoutMillis: number) {
    const service = await this.#serving()
    this.#newFaults()
    this.#attempts += 1
    const mark = `w${seed}.${this.#attempts}-`
    const { signal } = scenario
    const address = new URL(service.baseUrl)
    const told = signal === undefined ? undefined : sleep(signal.afterMillis).then(() => service.signal(signal.name))
    const played = await Promise.all(
      scenario.conversations.map(async (conversation, index) => {
        const script = scriptOf(conversation, address.host, this.key, `${mark}${index + 1}`)
        return { conversation, script, seen: await play(address, conversation, script, timeoutMillis) }
      }),
    )
    await told
    const outcomes = played.map(({ conversation, script, seen }) => checkConversation(conversation, script, seen, signal?.name))
    const findings = outcomes.flatMap((outcome, index) =>
      outcome.findings.map((finding) => (played.length === 1 ? finding : `connection ${index + 1}: ${finding}`)),
    )
    if (signal?.name === "SIGTERM") {
      const end = await untilEnded(service, shutdownMillis)
      if (end === undefined) {
        findings.push("the service did not stop in time")
        await service.kill()
      } else if (end !== 0) findings.push(`the service exited with ${end}`)
    }
    let kept = await this.#look(service)
    if (kept === undefined && signal?.name !== "SIGTERM") {
      // After a crash, the process's exit is reported shortly after its connections close.
      const end = await untilEnded(service, 1_000)
      if (end === undefined) {
        findings.push("the service is running but does not respond to reads")
        await service.kill()
      } else {
        // The crash explains any missing responses.
        findings.splice(0, findings.length, `the service exited on its own with ${end}`)
      }
    }
    kept ??= (await this.#look(await this.#serving())) ?? []
    findings.push(...checkKept(kept, outcomes, this.#mayTurnUp, mark))
    findings.push(...this.#newFaults().map((line) => `the service logged: ${line.slice(0, 600)}`))
    return { findings, played }
  }

  /** Returns the names of the pets stored since the last call, or `undefined` if the service does not respond. */
  async #look(service: Service): Promise<ReadonlyArray<string> | undefined> {
    if (!service.isRunning) return undefined
    try {
      return await this.#newNames(service.baseUrl)
    } catch {
      return undefined
    }
  }

  async end(): Promise<void> {
    await this.#stop()
    this.#store.remove()
  }
}

/** A finding without numbers and names. */
const kindOfFinding = (finding: string): string =>
  finding
    .replace(/^connection \d+: /, "")
    .replace(/\bw?\d[\d.-]*/g, "N")
    .replace(/\{.*/, "")

const failAlike = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean => {
  const kinds = new Set(one.map(kindOfFinding))
  return other.some((finding) => kinds.has(kindOfFinding(finding)))
}

/** Plays the seeds from the first to the last. Yields the failure of each seed, or `undefined` if the seed does not fail. */
export async function* fuzzWire({
  first,
  last,
  seconds = Number.POSITIVE_INFINITY,
  shrinkMillis,
  ...start
}: WireSettings): AsyncGenerator<WireFailure | undefined> {
  const trial = new Trial(start)
  const endsAt = performance.now() + seconds * 1000
  try {
    for (let seed = first; seed <= last && performance.now() < endsAt; seed += 1) {
      const scenario = kindOf(seed)
      let findings: ReadonlyArray<string> | undefined
      let transcript = ""
      let shrinkUntil = Number.POSITIVE_INFINITY
      const property = fc.asyncProperty(scenario.noBias(), async (drawn) => {
        if (performance.now() > shrinkUntil) return
        const timeoutMillis = findings === undefined ? timeouts.firstMillis : timeouts.shrinkingMillis
        const result = await trial.play(seed, drawn, timeoutMillis)
        if (result.findings.length === 0) return
        // The shrunk scenario must still fail in the same way.
        if (findings !== undefined && !failAlike(findings, result.findings)) return
        if (findings === undefined) {
          findings = result.findings
          shrinkUntil = performance.now() + shrinkMillis
        }
        transcript = `${result.findings.map((finding) => `  ! ${finding}`).join("\n")}\n${showScenario(drawn, result.played, trial.key)}`
        throw new Error(result.findings[0])
      })
      const { failed, errorInstance } = await fc.check(property, {
        seed,
        numRuns: 1,
        endOnFailure: shrinkMillis === 0,
      })
      // An error without a finding is a fault in the fuzzer.
      if (failed && findings === undefined) throw errorInstance
      yield findings && { seed, findings, transcript }
    }
  } finally {
    await trial.end()
  }
}
