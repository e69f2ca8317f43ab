/** A steady load of create and read requests on persistent connections, as from a proxy or a client with a pool. */
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "./client.ts"
import { expectStatus } from "./expectations.ts"
import { pagesFrom } from "./http.ts"

/** Clients that repeat an action. Stopping waits for the current actions, and fails if any action failed. */
export const keepBusy = (callers: ReadonlyArray<(turn: number) => Promise<void>>, pauseMillis: number) => {
  let isOver = false
  const running = Promise.all(
    callers.map(async (act) => {
      for (let turn = 0; !isOver; turn += 1) {
        await act(turn)
        // The pause leaves CPU time to the service. It is random, so that some clients are idle at any time.
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

const idIn = (pet: string): string => String(/"id":([0-9]+)/.exec(pet)?.[1])

/** Starts clients that alternately create and read pets on persistent connections, with this average pause in between. */
export const startLoad = (baseUrl: string, key: string, callers: number, pauseMillis: number) => {
  /** Identifiers of the pets that were acknowledged with 201. */
  const created: Array<string> = []
  /** Wrong responses and broken connections. The text for a connection says whether it was new or kept open. */
  const failures: Array<string> = []
  let responses = 0

  const clients = Array.from({ length: callers }, () => new Client(baseUrl, key))
  const call = (client: Client, number: number) => async (turn: number) => {
    const creates = turn % 2 === 0
    const body = `{"name":"pet ${number}.${turn}","categoryId":${number}}`
    client.forgetClosed()
    const connection = client.isOpen ? "a kept connection" : "a new connection"
    try {
      const { status, text } = await client.send(creates ? { method: "POST", body } : {})
      responses += 1
      if (status !== (creates ? 201 : 200)) failures.push(`${status} ${text}`)
      else if (creates) created.push(idIn(text))
    } catch (thrown) {
      failures.push(`${connection}: ${thrown}`)
    }
  }
  const busy = keepBusy(clients.map(call), pauseMillis)

  return {
    answered: () => responses,
    /** Stops the load, and waits for the requests in flight. */
    stop: async () => {
      await busy.stop()
      for (const client of clients) client.close()
      return { created, responses, failures }
    },
  }
}

/** Reads every pet from a service as JSON text, in which a lost digit would be visible. */
export const everyPet = async (baseUrl: string, key: string): Promise<ReadonlyArray<string>> => {
  using client = new Client(baseUrl, key)
  const found: Array<string> = []
  for await (const { response } of pagesFrom(client, `${client.http.prefix}/pets?limit=100`)) {
    expectStatus(response, 200)
    found.push(...(response.text.match(/\{[^}]*\}/g) ?? []))
  }
  return found
}

export const everyPetId = async (baseUrl: string, key: string): Promise<ReadonlySet<string>> =>
  new Set((await everyPet(baseUrl, key)).map(idIn))
