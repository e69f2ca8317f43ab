/** Tests concurrent orders (sentences 4.5.13 and 4.5.16) from a thousand clients to two processes. */
import { TemporaryStore } from "@petstore/harness/command"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codeOf, type Order, orderOf, type Reply, serveTwice, type TwoServices } from "./order-store.js"

export interface SharedStore {
  readonly name: string
  readonly newDatabase: () => Promise<string>
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
      const [petId = 0] = await caller.createPets(urls[0], 1)
      const responses = await Promise.all(
        Array.from({ length: 1000 }, (_, number) => caller.order(urls[number % 2] ?? "", petId)),
      )
      const placed = responses.filter(({ status }) => status === 201)
      expect(placed.map(orderOf)).toStrictEqual([expect.objectContaining({ petId, status: "placed" })])
      const refused = responses.filter(({ status }) => status !== 201).map((response) => `${response.status} ${codeOf(response)}`)
      expect(new Set(refused)).toStrictEqual(new Set(["409 pet_not_available"]))
    })

    it("never show a reader an older state than an earlier response showed", async () => {
      const { caller, urls } = services
      const bases = urls
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
  })
}
