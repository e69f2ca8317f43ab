/** A steady load of creates and reads on connections that stay open, as a proxy or a client with a pool makes it. */
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "./client.ts"
import { expectStatus } from "./expectations.ts"
import { pagesFrom } from "./http.ts"

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
  /** Whatever was not answered as it should be, in words; of a connection that broke, whether it had answered before. */
  readonly failures: ReadonlyArray<string>
}

const idIn = (pet: string): string => String(/"id":([0-9]+)/.exec(pet)?.[1])

/**
 * Starts a load: so many callers each send one request after the other, by turns a create and a read, on a connection they keep.
 *
 * @param pauseMillis  between two requests of a caller; spread, so that some connections are idle at any moment
 */
export const startLoad = (baseUrl: string, key: string, callers: number, pauseMillis: number) => {
  const created: Array<string> = []
  const failures: Array<string> = []
  let answers = 0

  const clients = Array.from({ length: callers }, () => new Client(baseUrl, key))
  const call = (client: Client, number: number) => async (turn: number) => {
    const creates = turn % 2 === 0
    const body = `{"name":"pet ${number}.${turn}","categoryId":${number}}`
    client.forgetClosed()
    const connection = client.isOpen ? "a kept connection" : "a new connection"
    try {
      const { status, text } = await client.send(creates ? { method: "POST", body } : {})
      answers += 1
      if (status !== (creates ? 201 : 200)) failures.push(`${status} ${text}`)
      else if (creates) created.push(idIn(text))
    } catch (thrown) {
      failures.push(`${connection}: ${thrown}`)
    }
  }
  const busy = keepBusy(clients.map(call), pauseMillis)

  return {
    answered: () => answers,
    /** Lets every request in flight come to its end. */
    stop: async (): Promise<LoadReport> => {
      await busy.stop()
      for (const client of clients) client.close()
      return { created, answers, failures }
    },
  }
}

/** Every pet of a service, each as the text it has in its page: a digit that was lost would show. */
export const everyPet = async (baseUrl: string, key: string): Promise<ReadonlyArray<string>> => {
  using client = new Client(baseUrl, key)
  const found: Array<string> = []
  for await (const { answer } of pagesFrom(client, `${client.http.prefix}/pets?limit=100`)) {
    expectStatus(answer, 200)
    found.push(...(answer.text.match(/\{[^}]*\}/g) ?? []))
  }
  return found
}

/** The identifiers of every pet. */
export const everyPetId = async (baseUrl: string, key: string): Promise<ReadonlySet<string>> =>
  new Set((await everyPet(baseUrl, key)).map(idIn))
