/** Sends generated requests, many on each connection and several connections at once, and shrinks the first that is answered wrong. */
import type { Connection } from "@petstore/harness/connection"
import { Http } from "@petstore/harness/http"
import fc from "fast-check"
import { checkCase } from "./contract.ts"
import { rawBytes, sendRaw } from "./raw.ts"
import { type Case, requestCase } from "./requests.ts"
import { showBytes, showCases } from "./show.ts"

export interface Settings {
  readonly baseUrl: string
  readonly key: string
  readonly requests: number
  readonly seed: number
}

/** A case that was answered wrong. */
export interface Failure {
  readonly reason: string
  /** The smallest such case that was found, to paste into a shell. */
  readonly command: string
}

/** Connections that are used at the same time. */
const connections = 4
/** Most requests that are sent before the first answer is read. */
const pipelined = 24
/** Properties that are tried before the next seed: one in so many sends raw bytes. */
const runsOfOneSeed = 40

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** One caller: a connection that stays open for as long as the service lets it. */
class Caller {
  readonly http: Http
  #connection: Connection | undefined
  sent = 0

  constructor(http: Http) {
    this.http = http
  }

  /** Sends all cases at once and checks the answers in their order. */
  async send(cases: ReadonlyArray<Case>): Promise<void> {
    this.#connection ??= await this.http.open()
    const connection = this.#connection
    try {
      connection.write(Buffer.concat(cases.map(({ request }) => this.http.encode({ ...request, keepAlive: true }))))
      for (const single of cases) {
        const answer = await connection.read(single.request.method)
        this.sent += 1
        checkCase(single, answer)
        // It says that it leaves: what was sent after this request is not answered.
        if (answer.header("connection")?.toLowerCase() === "close") {
          this.close()
          return
        }
      }
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  close(): void {
    this.#connection?.destroy()
    this.#connection = undefined
  }
}

/** The one of several cases that is answered wrong on its own, or all of them if none is. */
const aloneWrong = async (http: Http, cases: ReadonlyArray<Case>): Promise<ReadonlyArray<Case>> => {
  for (const single of cases) {
    const caller = new Caller(http)
    const isWrong = await caller.send([single]).then(
      () => false,
      () => true,
    )
    caller.close()
    if (isWrong) return [single]
  }
  return cases
}

/** Sends so many requests, or stops at the first failure. `progress` hears how many were sent so far. */
export const fuzz = async (
  settings: Settings,
  progress: (sent: number) => void,
): Promise<{ readonly sent: number; readonly failure: Failure | undefined }> => {
  const http = new Http(new URL(settings.baseUrl), settings.key)
  const callers = Array.from({ length: connections }, () => new Caller(http))
  let rawSent = 0
  let failure: Failure | undefined
  const sent = () => rawSent + callers.reduce((sum, caller) => sum + caller.sent, 0)

  const run = async (caller: Caller, index: number): Promise<void> => {
    for (let round = 0; failure === undefined && sent() < settings.requests; round += 1) {
      const seed = (settings.seed + round * connections + index) | 0
      const valid = await fc.check(
        fc.asyncProperty(fc.array(requestCase, { minLength: 1, maxLength: pipelined, size: "max" }), (cases) =>
          caller.send(cases),
        ),
        { seed, numRuns: runsOfOneSeed },
      )
      if (valid.failed) {
        const [cases = []] = valid.counterexample ?? []
        const smallest = await aloneWrong(http, cases)
        failure ??= { reason: messageOf(valid.errorInstance), command: showCases(http, smallest) }
        return
      }
      const raw = await fc.check(
        fc.asyncProperty(rawBytes(http), async (bytes) => {
          rawSent += 1
          await sendRaw(http, bytes)
        }),
        { seed, numRuns: runsOfOneSeed },
      )
      if (raw.failed) {
        const [bytes = Buffer.of()] = raw.counterexample ?? []
        failure ??= { reason: messageOf(raw.errorInstance), command: showBytes(http, bytes) }
        return
      }
      progress(sent())
    }
  }

  try {
    await Promise.all(callers.map(run))
  } finally {
    for (const caller of callers) caller.close()
  }
  return { sent: sent(), failure }
}
