/** A caller with one connection, which it opens again when it was lost. */
import { setTimeout as sleep } from "node:timers/promises"
import { newPetJson } from "@petstore/conformance/catalogue"
import type { Answer } from "@petstore/harness/answer"
import type { Connection } from "@petstore/harness/connection"
import { Http, type Request } from "@petstore/harness/http"
import type { Intent } from "./ledger.ts"

/** The request of an intent. */
export const requestOf = ({ given, idempotencyKey }: Intent): Request => ({
  method: "POST",
  path: "/pets",
  body: newPetJson(given),
  headers: idempotencyKey === undefined ? [] : [["Idempotency-Key", idempotencyKey]],
})

export class Client {
  readonly #http: Http
  #connection: Connection | undefined

  constructor(baseUrl: string, key: string) {
    this.#http = new Http(new URL(baseUrl), key)
  }

  /** Opens the connection, unless it is open. */
  async open(): Promise<Connection> {
    this.#connection ??= await this.#http.open()
    return this.#connection
  }

  /** Sends a request and reads its answer. Fails when the connection breaks or nothing comes for long. */
  async send(request: Request): Promise<Answer> {
    const bytes = this.#http.encode({ ...request, keepAlive: true })
    const connection = await this.open()
    try {
      connection.write(bytes)
      const answer = await connection.read(request.method)
      if (answer.header("connection")?.toLowerCase() === "close") this.close()
      return answer
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** Sends the first bytes of a request on a connection of its own, and leaves. */
  async sendPart(request: Request, partOf: (length: number) => number): Promise<void> {
    const bytes = this.#http.encode(request)
    const connection = await this.#http.open()
    const part = bytes.subarray(0, partOf(bytes.length))
    connection.write(part)
    // Lets the bytes go before the connection does.
    await new Promise(setImmediate)
    connection.destroy()
  }

  close(): void {
    this.#connection?.destroy()
    this.#connection = undefined
  }
}

/** Calls `turn` again and again, until it is time to stop, with a client that follows the service when it listens somewhere else after a restart. */
export const keepCalling = async (
  baseUrl: () => string,
  key: string,
  isStopping: () => boolean,
  turn: (client: Client) => Promise<void>,
): Promise<void> => {
  let url = baseUrl()
  let client = new Client(url, key)
  while (!isStopping()) {
    if (url !== baseUrl()) {
      client.close()
      url = baseUrl()
      client = new Client(url, key)
    }
    await turn(client)
  }
  client.close()
}

/** Lends a client to some work, and closes it whatever comes of that. */
export const withClient = async (baseUrl: string, key: string, work: (client: Client) => Promise<void>): Promise<void> => {
  const client = new Client(baseUrl, key)
  try {
    await work(client)
  } finally {
    client.close()
  }
}

/** Tries until it is known what became of something, for 5 s and more. Tells whether it is known. */
export const untilKnown = async (attempt: () => Promise<boolean>): Promise<boolean> => {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await attempt()) return true
    await sleep(50)
  }
  return false
}
