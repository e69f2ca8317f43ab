/** Two service processes on one store, and a client that uses their orders. */
import type { TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"

export interface Reply {
  readonly status: number
  readonly text: string
  readonly etag: string | null
}

export interface Order {
  readonly id: number
  readonly petId: number
  readonly status: string
}

/** The order in a response. These tests use new stores, so identifiers are small enough for `JSON.parse`. */
export const orderOf = ({ text }: Reply): Order => JSON.parse(text)

export const codeOf = ({ text }: Reply): string => JSON.parse(text).code

const send = async (url: string | URL, init: RequestInit): Promise<Reply> => {
  const response = await fetch(url, init)
  return { status: response.status, text: await response.text(), etag: response.headers.get("etag") }
}

/** A client with a key. Each call passes the base URL of the process to use. */
export const callerOf = (key: string) => {
  const headers = { Authorization: `Bearer ${key}` }
  const json = { ...headers, "Content-Type": "application/json" }
  return {
    get: (base: string, path: string, more: Readonly<Record<string, string>> = {}): Promise<Reply> =>
      send(`${base}${path}`, { headers: { ...headers, ...more } }),
    /** Creates `count` available pets. */
    createPets: async (base: string, count: number): Promise<ReadonlyArray<number>> => {
      const body = `{"name":"Bello","categoryId":1,"status":"available"}`
      const made = Array.from({ length: count }, () => send(`${base}/pets`, { method: "POST", headers: json, body }))
      return (await Promise.all(made)).map((reply) => orderOf(reply).id)
    },
    order: (base: string, petId: number, more: Readonly<Record<string, string>> = {}): Promise<Reply> =>
      send(`${base}/store/orders`, { method: "POST", headers: { ...json, ...more }, body: `{"petId":${petId}}` }),
    close: (base: string, orderId: number, closing: "complete" | "cancel"): Promise<Reply> =>
      send(`${base}/store/orders/${orderId}/${closing}`, { method: "POST", headers }),
  }
}

export interface TwoServices {
  readonly caller: ReturnType<typeof callerOf>
  /** The base URL of each process, ending in `/v1`. */
  readonly urls: readonly [string, string]
  readonly stop: () => Promise<void>
}

/** Starts two processes on the store that `databaseUrl` names, in the folder of `store`. */
export const serveTwice = async (store: TemporaryStore, databaseUrl: string): Promise<TwoServices> => {
  const environment = { ...store.environment, DATABASE_URL: databaseUrl }
  const start = () => startService(environment)
  const first = await start()
  const second = await start().catch(async (cause: unknown) => {
    await first.kill()
    throw cause
  })
  const services: [Service, Service] = [first, second]
  return {
    caller: callerOf(services[0].key),
    urls: [services[0].baseUrl, services[1].baseUrl],
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()))
    },
  }
}
