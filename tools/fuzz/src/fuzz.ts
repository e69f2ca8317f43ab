/** Sends generated requests on several connections, and shrinks the first request that gets a wrong response. */
import { Client } from "@petstore/harness/client"
import { messageOf } from "@petstore/harness/error-text"
import type { Http } from "@petstore/harness/http"
import fc from "fast-check"
import { checkResponse } from "./contract.ts"
import { bytesOf, rawBytes, sendRaw } from "./raw.ts"
import { type Case, requestCase } from "./requests.ts"

export interface Settings {
  readonly baseUrl: string
  readonly key: string
  readonly requests: number
  readonly seed: number
}

export interface Failure {
  readonly reason: string
  /** The smallest failing case, to paste into a shell. */
  readonly command: string
}

const connections = 4
/** The maximum number of requests that are sent before the first response is read. */
const pipelined = 24
const runsOfOneSeed = 40

/** The bytes for a connection as a line to paste into a shell, with `$KEY` in place of the key. */
const inShell = (http: Http, bytes: Uint8Array): string => {
  const escaped = Buffer.from(bytes)
    .toString("latin1")
    .replace(/[^\x20-\x7e]|['\\%"$`]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`)
  return `printf '${escaped}' | nc ${http.base.hostname} ${http.base.port}`.replaceAll(http.key, "'\"$KEY\"'")
}

/** Sends all cases at once and checks the responses in order. `answered` is called for each response. */
const sendAll = async (client: Client, cases: ReadonlyArray<Case>, answered: () => void): Promise<void> => {
  try {
    await client.write(...cases.map(({ request }) => request))
    for (const single of cases) {
      const response = await client.read(single.request.method)
      answered()
      checkResponse(response, single.request.method ?? "GET")
      single.check(response)
      // This response closes the connection, so later requests do not get a response.
      if (!client.isOpen) return
    }
  } catch (cause) {
    client.close()
    throw cause
  }
}

/** The case that gets a wrong response on its own, or all cases if there is no such case. */
const aloneWrong = async (client: Client, cases: ReadonlyArray<Case>): Promise<ReadonlyArray<Case>> => {
  for (const single of cases) {
    const isRight = await sendAll(client, [single], () => {}).then(
      () => true,
      () => false,
    )
    client.close()
    if (!isRight) return [single]
  }
  return cases
}

/** Sends at least this many requests, or stops at the first failure. `progress` is called with the number so far. */
export const fuzz = async (
  settings: Settings,
  progress: (sent: number) => void,
): Promise<{ readonly sent: number; readonly failure: Failure | undefined }> => {
  let sent = 0
  let failure: Failure | undefined
  const answered = (): void => {
    sent += 1
  }

  const run = async (index: number): Promise<void> => {
    using client = new Client(settings.baseUrl, settings.key)
    const { http } = client
    /** Sends examples until one fails, and shrinks it. `encode` returns the smallest example as bytes. */
    const check = async <A>(
      seed: number,
      examples: fc.Arbitrary<A>,
      send: (example: A) => Promise<void>,
      encode: (example: A) => Promise<Uint8Array>,
    ): Promise<void> => {
      if (failure !== undefined) return
      const property = fc.asyncProperty(examples, send)
      const { counterexample, errorInstance } = await fc.check(property, { seed, numRuns: runsOfOneSeed })
      if (counterexample === null) return
      const command = inShell(http, await encode(counterexample[0]))
      failure ??= { reason: messageOf(errorInstance), command }
    }
    const sendBytes = async (bytes: Buffer): Promise<void> => {
      answered()
      await sendRaw(http, bytes)
    }
    const batches = fc.array(requestCase, { minLength: 1, maxLength: pipelined, size: "max" })
    for (let round = 0; failure === undefined && sent < settings.requests; round += 1) {
      const seed = (settings.seed + round * connections + index) | 0
      await check(
        seed,
        batches,
        (cases) => sendAll(client, cases, answered),
        async (cases) => bytesOf(http, await aloneWrong(client, cases)),
      )
      await check(seed, rawBytes(http), sendBytes, async (bytes) => bytes)
      if (failure === undefined) progress(sent)
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, index) => run(index)))
  return { sent, failure }
}
