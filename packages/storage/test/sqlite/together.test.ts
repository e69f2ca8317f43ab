/** Tests reads from a SQLite file that share a transaction. */
import type { DatabaseSync } from "node:sqlite"
import { type PetId, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { petFreshness } from "../pet-freshness.js"
import { onNewFile, otherConnection, storeIn } from "../sqlite-file.js"

interface Store {
  readonly pets: (typeof PetRepository)["Service"]
  readonly together: (work: () => void) => void
  /** An existing pet's identifier. */
  readonly id: PetId
  readonly nameOf: (id: PetId) => string | undefined
  /** A connection that represents another process. */
  readonly other: DatabaseSync
}

const onStore = (test: (store: Store) => Effect.Effect<void, unknown>): Promise<void> =>
  onNewFile((path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const { together } = yield* petFreshness
      const { id } = yield* pets.insert({ name: "Bello", categoryId: 1n })
      const nameOf = (one: PetId) => Option.getOrUndefined(Effect.runSync(pets.find(one)))?.name
      yield* test({ pets, together, id, nameOf, other: yield* otherConnection(path) })
    }).pipe(Effect.provide(storeIn(path))),
  )

it("reads in one transaction see one snapshot, and later reads see later writes", () =>
  onStore(({ together, id, nameOf, other }) =>
    Effect.sync(() => {
      const names: Array<string | undefined> = []
      other.exec("UPDATE pets SET name = 'before'")
      together(() => {
        names.push(nameOf(id))
        other.exec("UPDATE pets SET name = 'meanwhile'")
        names.push(nameOf(id))
      })
      names.push(nameOf(id))
      expect(names).toEqual(["before", "before", "meanwhile"])
    }),
  ))

it("work that throws ends its transaction, and later writes succeed", () =>
  onStore(({ pets, together, nameOf }) =>
    Effect.gen(function* () {
      const broken = () =>
        together(() => {
          throw new Error("told to")
        })
      expect(broken).toThrow("told to")
      const { id } = yield* pets.insert({ name: "Coco", categoryId: 1n })
      together(() => expect(nameOf(id)).toBe("Coco"))
    }),
  ))

it("nested work reads the snapshot of the outer work", () =>
  onStore(({ together, id, nameOf }) =>
    Effect.sync(() => {
      const names: Array<string | undefined> = []
      together(() => {
        together(() => names.push(nameOf(id)))
        names.push(nameOf(id))
      })
      expect(names).toEqual(["Bello", "Bello"])
    }),
  ))
