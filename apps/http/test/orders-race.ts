/** Tests concurrent orders (sentences 4.5.13 and 4.5.16) from a thousand clients to two processes, even after `kill -9`. */
import { TemporaryStore } from "@petstore/harness/command"
import { contradictions, lostOrders } from "@petstore/torture/order-checker"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codeOf, type Order, orderOf, type Reply, serveTwice, type TwoServices } from "./order-store.js"

export interface SharedStore {
  readonly name: string
  readonly newDatabase: () => Promise<string>
}

/** Seeded random numbers from 0 to 1 (mulberry32), so that a run can be repeated. */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** A client's pause between two requests. It leaves CPU time for the services. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 2))

/** The rank of a status. In the test that uses ranks, a pet's rank never decreases. */
const ranks: Readonly<Record<string, number>> = { available: 0, pending: 1, sold: 2 }

export const declareOrdersRace = ({ name, newDatabase }: SharedStore): void => {
  describe(`two processes on ${name}`, () => {
    const store = new TemporaryStore()
    let services: TwoServices

    beforeAll(async () => {
      services = await serveTwice(store, await newDatabase())
    })

    afterAll(async () => {
      await services?.stop()
      store.remove()
    })

    it("accept one of a thousand concurrent orders for a pet, and refuse the others with 409", async () => {
      const { caller, urls } = services
      const [petId = 0] = await caller.createPets(urls()[0], 1)
      const responses = await Promise.all(
        Array.from({ length: 1000 }, (_, number) => caller.order(urls()[number % 2] ?? "", petId)),
      )
      const placed = responses.filter(({ status }) => status === 201)
      expect(placed.map(orderOf)).toStrictEqual([expect.objectContaining({ petId, status: "placed" })])
      const refused = responses.filter(({ status }) => status !== 201).map((response) => `${response.status} ${codeOf(response)}`)
      expect(new Set(refused)).toStrictEqual(new Set(["409 pet_not_available"]))
    })

    it("never show a reader an older state than an earlier response showed", async () => {
      const { caller, urls } = services
      const bases = urls()
      const petIds = await caller.createPets(bases[0], 40)
      const before = petIds[0] ?? 0
      /** The highest rank that a response has shown, for each pet. */
      const reached = new Map(petIds.map((id) => [id, 0]))
      const stale: Array<string> = []
      let over = false

      const writer = async (own: ReadonlyArray<number>): Promise<void> => {
        for (const petId of own) {
          const { id } = orderOf(await caller.order(bases[petId % 2] ?? "", petId))
          reached.set(petId, 1)
          await caller.close(bases[(petId + 1) % 2] ?? "", id, "complete")
          reached.set(petId, 2)
        }
      }

      /** Reads a page repeatedly, as a browser does: with the last response's entity tag. */
      const reader = async (base: string, path: string): Promise<void> => {
        let last: Reply | undefined
        while (!over) {
          await pause()
          const known = new Map(reached)
          const etag = last?.etag
          const response = await caller.get(base, path, etag == null ? {} : { "If-None-Match": etag })
          if (response.status === 200) last = response
          const shown = new Map<number, string>(
            JSON.parse(last?.text ?? "").map(({ id, status }: Order) => [id, status] as const),
          )
          for (const [id, rank] of known) {
            const status = shown.get(id)
            const rankShown = status === undefined ? undefined : ranks[status]
            const isMissing = status === undefined && path.endsWith("sold") && rank === 2
            if (isMissing || (rankShown !== undefined && rankShown < rank)) {
              stale.push(`${response.status} ${path} showed pet ${id} as ${status ?? "missing"}, after rank ${rank}`)
            }
          }
        }
      }

      // Full pages, which stay cached while pets are added, and the list of sold pets.
      const targets = [
        "/pets?limit=10",
        "/pets?limit=10&status=available",
        "/pets?limit=10&status=pending",
        "/pets?limit=100&status=sold",
      ]
      const reading = bases.flatMap((base) => targets.map((path) => reader(base, path)))
      const one = (async () => {
        while (!over) {
          await pause()
          for (const base of bases) {
            const rank = reached.get(before) ?? 0
            const { status } = orderOf(await caller.get(base, `/pets/${before}`))
            if ((ranks[status] ?? -1) < rank) stale.push(`pet ${before} was shown as ${status}, after rank ${rank}`)
          }
        }
      })()
      const writing = Promise.all([0, 1, 2, 3].map((writerId) => writer(petIds.filter((_, index) => index % 4 === writerId))))
      try {
        await writing
      } finally {
        over = true
      }
      await Promise.all([...reading, one])
      expect(stale).toStrictEqual([])
      expect([...reached.values()]).toStrictEqual(petIds.map(() => 2))
    })

    const seed = Math.floor(Math.random() * 2 ** 31)

    it(`leave every pet in the state that its orders imply, no matter which process is killed (seed ${seed})`, async () => {
      const random = randomOf(seed)
      const { caller } = services
      const petIds = await caller.createPets(services.urls()[0], 30)
      const acknowledged = new Map<number, Order>()
      /** The orders that clients sent with an idempotency key, and the response's body if it arrived. */
      const keyed = new Map<string, { readonly petId: number; readonly text: string | undefined }>()
      const unexpected: Array<string> = []
      const refuse = (what: string, response: Reply): void => {
        unexpected.push(`${what}: ${response.status} ${response.text}`)
      }
      let responses = 0
      let over = false

      const pick = <A>(from: ReadonlyArray<A>): A | undefined => from[Math.floor(random() * from.length)]

      const order = async (base: string): Promise<void> => {
        const petId = pick(petIds) ?? 0
        const key = random() < 0.5 ? `key-${random()}` : undefined
        if (key !== undefined) keyed.set(key, { petId, text: undefined })
        const response = await caller.order(base, petId, key === undefined ? {} : { "Idempotency-Key": key })
        if (response.status === 201) {
          acknowledged.set(orderOf(response).id, orderOf(response))
          if (key !== undefined) keyed.set(key, { petId, text: response.text })
        } else {
          if (key !== undefined) keyed.delete(key)
          if (codeOf(response) !== "pet_not_available") refuse("order", response)
        }
      }

      const close = async (base: string, closing: "complete" | "cancel"): Promise<void> => {
        const id = pick([...acknowledged.keys()].slice(-20))
        if (id === undefined) return
        const response = await caller.close(base, id, closing)
        if (response.status === 200) acknowledged.set(id, orderOf(response))
        else if (codeOf(response) !== "order_closed") refuse(closing, response)
      }

      const client = async (): Promise<void> => {
        while (!over) {
          await pause()
          const base = pick(services.urls()) ?? ""
          const choice = random()
          try {
            if (choice < 0.55) await order(base)
            else await close(base, choice < 0.6 ? "complete" : "cancel")
            responses += 1
          } catch (thrown) {
            // The process was killed, so it acknowledged nothing. The client tries again until the new process listens.
            if (!(thrown instanceof TypeError)) throw thrown
            await new Promise((resolve) => setTimeout(resolve, 10))
          }
        }
      }

      const clients = Promise.all(Array.from({ length: 12 }, client))
      try {
        for (let kills = 0; kills < 2; kills += 1) {
          const enough = responses + 60 + Math.floor(random() * 60)
          while (responses < enough) await new Promise((resolve) => setTimeout(resolve, 5))
          await services.killAndStart(random() < 0.5 ? 0 : 1)
        }
      } finally {
        over = true
      }
      await clients
      expect(unexpected).toStrictEqual([])

      const bigints = [...acknowledged.values()].map(({ id, petId, status }) => ({
        id: BigInt(id),
        petId: BigInt(petId),
        status,
      }))
      const check = async (): Promise<void> => {
        const held = await caller.readAll(services.urls()[0])
        expect([...contradictions(held), ...lostOrders(held, bigints)]).toStrictEqual([])
      }
      await check()
      expect(acknowledged.size).toBeGreaterThan(20)

      // A repeated request gets the first response, and runs only once even if that response was lost.
      for (const [key, { petId, text }] of keyed) {
        const again = await caller.order(services.urls()[1], petId, { "Idempotency-Key": key })
        if (text === undefined) expect([201, 409]).toContain(again.status)
        else expect(again).toMatchObject({ status: 201, text })
      }
      await check()
    })
  })
}
