/** Puts load on a service whose rows are distributed across machines, and then checks the rows. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { keepBusy } from "@petstore/harness/load"
import { untilRecovered } from "@petstore/test/citus-cluster"
import type { CitusCluster } from "@petstore/test/postgres"
import { expect } from "vitest"
import { rowsOf } from "./rows-of.js"

/** Clients that create pets, complete orders and read pets, one request after another, and record the responses. */
export class Load {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #busy: ReturnType<typeof keepBusy>
  /** Part of every pet's name. It differs between two loads on the same store, even if both use the same port. */
  readonly #mark = randomUUID().slice(0, 8)
  readonly #waiting = new Set<Promise<unknown>>()
  #next = 0
  /** The identifiers of acknowledged pets that were sent without an idempotency key, by name. */
  readonly created = new Map<string, string>()
  readonly keyed = new Map<string, Set<string>>()
  readonly completed = new Set<string>()
  readonly problems: Array<string> = []
  slowestMillis = 0
  answered = { created: 0, read: 0, refused: 0 }

  constructor(base: string, key: string) {
    this.#base = base
    this.#headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const creating = Array.from({ length: 8 }, () => () => this.#create())
    const ordering = Array.from({ length: 4 }, () => () => this.#order())
    this.#busy = keepBusy([...creating, ...ordering, () => this.#read()], 0)
  }

  restart(): void {
    this.answered = { created: 0, read: 0, refused: 0 }
    this.slowestMillis = 0
  }

  async stop(): Promise<void> {
    await this.#busy.stop()
  }

  /** Waits for the responses to all requests in flight. */
  async responses(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  send(method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) {
    const reply = this.#send(method, path, body, more)
    this.#waiting.add(reply)
    return reply.finally(() => this.#waiting.delete(reply))
  }

  async #send(method: string, path: string, body: unknown, more: Readonly<Record<string, string>>) {
    const startMillis = performance.now()
    const init = { method, headers: { ...this.#headers, ...more }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(`${this.#base}${path}`, init)
    const text = await response.text()
    this.slowestMillis = Math.max(this.slowestMillis, performance.now() - startMillis)
    if (response.status === 503) this.answered.refused += 1
    else if (response.status >= 500) this.problems.push(`${method} ${path}: ${response.status} ${text}`)
    return { status: response.status, id: /"id":(-?\d+)/.exec(text)?.[1] ?? "" }
  }

  async #create(): Promise<void> {
    this.#next += 1
    const name = `Pet ${this.#next} of ${this.#mark}`
    const isKeyed = this.#next % 2 === 0
    const body = { name, categoryId: 1, status: "available" }
    // A request with an idempotency key is sent three times.
    for (let sent = 0; sent < (isKeyed ? 3 : 1); sent += 1) {
      const { status, id } = await this.send("POST", "/pets", body, isKeyed ? { "idempotency-key": name } : {})
      if (status !== 201) continue
      this.answered.created += 1
      if (isKeyed) this.keyed.set(name, (this.keyed.get(name) ?? new Set()).add(id))
      else this.created.set(name, id)
    }
  }

  /** Creates a pet, orders it, and completes the order. */
  async #order(): Promise<void> {
    this.#next += 1
    const name = `Pet ${this.#next} of ${this.#mark}`
    const pet = await this.send("POST", "/pets", { name, categoryId: 1, status: "available" })
    if (pet.status !== 201) return
    this.created.set(name, pet.id)
    const order = await this.send("POST", "/store/orders", { petId: Number(pet.id) })
    if (order.status !== 201) return
    const { status } = await this.send("POST", `/store/orders/${order.id}/complete`)
    if (status === 200) this.completed.add(order.id)
  }

  async #read(): Promise<void> {
    const ids = [...this.created.values()]
    const id = ids[Math.floor(Math.random() * ids.length)]
    if (id === undefined) await sleep(10)
    else if ((await this.send("GET", `/pets/${id}`)).status === 200) this.answered.read += 1
  }

  /** Whether the service finds every pet in `created` by its identifier. Call this only after the load has stopped. */
  async allAreThere(): Promise<boolean> {
    const ids = [...this.created.values()]
    const isThere = async (id: string): Promise<boolean> => {
      const { status } = await this.send("GET", `/pets/${id}`)
      if (status !== 503) return status === 200
      // The service refuses slow requests on a busy machine. A refusal does not mean that the pet is missing.
      await sleep(20)
      return isThere(id)
    }
    for (let first = 0; first < ids.length; first += 32) {
      const found = await Promise.all(ids.slice(first, first + 32).map(isThere))
      if (found.includes(false)) return false
    }
    return true
  }
}

export const verify = async (load: Load, { url, ports }: CitusCluster): Promise<void> => {
  await untilRecovered(url, ports)
  const pets = await rowsOf(url, "SELECT name, id, status FROM pets")
  const times = new Map<string | null, number>()
  for (const [name = ""] of pets) times.set(name, (times.get(name) ?? 0) + 1)
  const ids = new Set(pets.map(([, id]) => id))
  expect([...load.created].filter(([, id]) => !ids.has(id))).toStrictEqual([])
  expect([...load.keyed].filter(([name, made]) => made.size !== 1 || times.get(name) !== 1)).toStrictEqual([])
  expect([...times].filter(([, count]) => count > 1)).toStrictEqual([])
  const orders = await rowsOf(url, "SELECT id, pet_id, status FROM orders")
  const statusOf = new Map(orders.map(([id, , status]) => [id, status]))
  expect([...load.completed].filter((id) => statusOf.get(id) !== "completed")).toStrictEqual([])
  const after = new Map([
    ["placed", "pending"],
    ["completed", "sold"],
  ])
  const orderOf = new Map(orders.map(([, pet, status]) => [pet, status]))
  expect(orderOf.size).toBe(orders.length)
  // Pets with other names come from an import, which includes sold pets without orders.
  for (const [name, id, status] of pets.filter(([of]) => of?.startsWith("Pet ") === true)) {
    expect([name, status]).toStrictEqual([name, after.get(orderOf.get(id) ?? "") ?? "available"])
  }
}

export const goesOn = (load: Load) => {
  const before = load.created.size
  return expect.poll(() => load.created.size).toBeGreaterThan(before + 100)
}
