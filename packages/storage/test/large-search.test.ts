/**
 * Searches in a catalogue that is too large to look at for one page, with words that only the oldest pets have. Every match is found
 * exactly once.
 */
import { type Pet, PetRepository, type PetSearch, readMaximum, searchAmong, type ValidNewPet } from "@petstore/core"
import { Effect, Stream } from "effect"
import { expect, it } from "vitest"
import { adapters } from "./adapters.js"

const statuses = ["available", "pending", "sold", undefined] as const

/** The first pets are named Bello, more of them than a search reads. A few pets have a rare name. */
const pets: ReadonlyArray<ValidNewPet> = Array.from({ length: 24_000 }, (_, index) => {
  const status = statuses[index % 4]
  const name =
    index % 8_000 === 7
      ? "Zorro"
      : index % 4_000 === 9
        ? "A Man of Many Other Words"
        : index < 11_000
          ? `Bello ${index % 100}`
          : `Ada ${index % 100}`
  return { name, categoryId: BigInt(index % 3), ...(status !== undefined && { status }) }
})

const searches: ReadonlyArray<Pick<PetSearch, "words" | "status" | "categoryId">> = [
  ...[["zor"], ["bello"], ["b"], ["7", "bel"], ["ada", "bello"], ["a", "of", "man", "many", "words"], ["none"]].flatMap(
    (words) => [
      { words },
      { words, status: "sold" as const },
      { words, status: null },
      { words, categoryId: 1n },
      { words, categoryId: 1n, status: null },
    ],
  ),
  { categoryId: 1n, status: "sold" },
  { categoryId: 4n, status: null },
]

for (const { name, empty } of adapters.filter(({ name }) =>
  ["SQLite in memory", "sql.js in memory", "PostgreSQL"].includes(name),
)) {
  it(`${name} finds every match in a large catalogue, in pages that may be short`, { timeout: 120_000 }, () =>
    Effect.gen(function* () {
      const repository = yield* PetRepository
      yield* repository.insertAll(Stream.fromIterable([pets.slice(0, 12_000), pets.slice(12_000)]))
      const everyPet: Array<Pet> = []
      for (let after: bigint | undefined; ; ) {
        const page = yield* repository.search({ order: "asc", limit: 10_000, ...(after !== undefined && { after }) })
        everyPet.push(...page.pets)
        if (page.next === undefined) break
        after = page.next
      }
      expect(everyPet.map((pet) => pet.name)).toStrictEqual(pets.map((pet) => pet.name))
      for (const filters of searches) {
        for (const order of ["asc", "desc"] as const) {
          const { pets: expected } = searchAmong(everyPet, { ...filters, order, limit: pets.length })
          const found: Array<Pet> = []
          let [pages, after]: [number, bigint | undefined] = [0, undefined]
          do {
            const page: Effect.Effect.Success<ReturnType<typeof repository.search>> = yield* repository.search({
              ...filters,
              order,
              limit: 500,
              ...(after !== undefined && { after }),
            })
            found.push(...page.pets)
            after = page.next
            pages += 1
          } while (after !== undefined)
          expect(found.map(({ id }) => id)).toStrictEqual(expected.map(({ id }) => id))
          expect(pages).toBeLessThanOrEqual(expected.length / 500 + pets.length / readMaximum + 2)
        }
      }
    }).pipe(Effect.provide(empty), Effect.runPromise),
  )
}
