/** A steady load of creates and reads on connections that stay open, as a proxy or a client with a pool makes it. */
import { Agent, request as requestInClear } from "node:http"
import { request as requestThroughTls } from "node:https"
import { setTimeout as sleep } from "node:timers/promises"

export interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

export interface Call {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request, and never a second one in its place: a dropped connection is an error, which tells whether it had answered before. */
export const send = (
  agent: Agent,
  url: string,
  key: string,
  { method = "GET", body, headers = {} }: Call = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }
    const request = url.startsWith("https:") ? requestThroughTls : requestInClear
    const outgoing = request(
      url,
      { agent, method, headers: { Authorization: `Bearer ${key}`, ...json, ...headers } },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
        response.once("error", reject)
      },
    )
    outgoing.once("error", (error) => {
      reject(new Error(`${outgoing.reusedSocket ? "a kept" : "a new"} connection: ${error.message}`))
    })
    outgoing.end(body)
  })

/** Callers that each do one thing after the other until they are told to stop. Stopping lets each come to its end, and fails if one failed. */
export const keepBusy = (callers: ReadonlyArray<(turn: number) => Promise<void>>, pauseMillis: number) => {
  let isOver = false
  const running = Promise.all(
    callers.map(async (act) => {
      for (let turn = 0; !isOver; turn += 1) {
        await act(turn)
        // Spread, so that some are idle at any moment; and the services, not their callers, are to have the processors.
        await sleep(Math.random() * 2 * pauseMillis)
      }
    }),
  )
  return {
    stop: async (): Promise<void> => {
      isOver = true
      await running
    },
  }
}

/** What came of a load. */
export interface LoadReport {
  /** Identifiers of the pets that were acknowledged with 201. */
  readonly created: ReadonlyArray<string>
  readonly answers: number
  /** Whatever was not answered as it should be, in words. */
  readonly failures: ReadonlyArray<string>
}

/**
 * Starts a load: each of `clients` sends one request after the other, by turns a create and a read, on a connection it keeps.
 *
 * @param pauseMillis  between two requests of a client; spread, so that some connections are idle at any moment
 * @param agent        keeps the connections; it is closed at the end
 */
export const startLoad = (
  baseUrl: string,
  key: string,
  clients: number,
  pauseMillis: number,
  agent = new Agent({ keepAlive: true }),
) => {
  const created: Array<string> = []
  const failures: Array<string> = []
  let answers = 0

  const client = (number: number) => async (turn: number) => {
    const creates = turn % 2 === 0
    const call = creates ? { method: "POST", body: `{"name":"pet ${number}.${turn}","categoryId":${number}}` } : {}
    try {
      const { status, body } = await send(agent, `${baseUrl}/pets`, key, call)
      answers += 1
      if (status !== (creates ? 201 : 200)) failures.push(`${status} ${body}`)
      else if (creates) created.push(String(/"id":([0-9]+)/.exec(body)?.[1]))
    } catch (thrown) {
      failures.push(String(thrown))
    }
  }
  const busy = keepBusy(
    Array.from({ length: clients }, (_, number) => client(number)),
    pauseMillis,
  )

  return {
    answered: () => answers,
    /** Lets every request in flight come to its end. */
    stop: async (): Promise<LoadReport> => {
      await busy.stop()
      agent.destroy()
      return { created, answers, failures }
    },
  }
}

/** Every pet of a service, each as the text it has in its page: a digit that was lost would show. */
export const everyPet = async (
  baseUrl: string,
  key: string,
  agent = new Agent({ keepAlive: true }),
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  let next: string | undefined = "/v1/pets?limit=100"
  while (next !== undefined) {
    const { status, headers, body }: Answer = await send(agent, new URL(next, baseUrl).href, key)
    if (status !== 200) throw new Error(`${status} ${body}`)
    found.push(...(body.match(/\{[^}]*\}/g) ?? []))
    next = /<([^>]+)>; rel="next"/.exec(String(headers["link"]))?.[1]
  }
  agent.destroy()
  return found
}

/** The identifiers of every pet. */
export const everyPetId = async (...given: Parameters<typeof everyPet>): Promise<ReadonlySet<string>> =>
  new Set((await everyPet(...given)).map((pet) => String(/"id":([0-9]+)/.exec(pet)?.[1])))
