/** Sends generated requests on several connections, and shrinks the first request that gets a wrong response. */
import { Client } from "@petstore/harness/client"
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

/** A case with a wrong response. */
export interface Failure {
  readonly reason: string
  /** The smallest failing case, to paste into a shell. */
  readonly command: string
}

/** The number of connections that are used at the same time. */
const connections = 4
/** The maximum number of requests that are sent before the first response is read. */
const pipelined = 24
/** How many times each property is checked per seed. */
const runsOfOneSeed = 40

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

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
    for (let round = 0; failure === undefined && sent < settings.requests; round += 1) {
      const seed = (settings.seed + round * connections + index) | 0
      const valid = await fc.check(
        fc.asyncProperty(fc.array(requestCase, { minLength: 1, maxLength: pipelined, size: "max" }), (cases) =>
          sendAll(client, cases, answered),
        ),
        { seed, numRuns: runsOfOneSeed },
      )
      if (valid.failed) {
        const [cases = []] = valid.counterexample ?? []
        const smallest = await aloneWrong(client, cases)
        failure ??= { reason: messageOf(valid.errorInstance), command: inShell(http, bytesOf(http, smallest)) }
        return
      }
      const raw = await fc.check(
        fc.asyncProperty(rawBytes(http), async (bytes) => {
          answered()
          await sendRaw(http, bytes)
        }),
        { seed, numRuns: runsOfOneSeed },
      )
      if (raw.failed) {
        const [bytes = Buffer.of()] = raw.counterexample ?? []
        failure ??= { reason: messageOf(raw.errorInstance), command: inShell(http, bytes) }
        return
      }
      progress(sent)
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, index) => run(index)))
  return { sent, failure }
}
