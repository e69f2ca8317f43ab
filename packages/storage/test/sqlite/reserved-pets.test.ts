/** Tests pets in a SQLite file that manual SQL has changed. */
import { type Pet, PetRepository } from "@petstore/core"
import { Effect, Either, Option } from "effect"
import { expect } from "vitest"
import { petFreshness } from "../pet-freshness.js"
import { byHand, storeIn, withFile } from "../sqlite-file.js"

const pending = "INSERT INTO pets (name, category_id, status) VALUES ('Ada', 1, 'pending'), ('Bello', 1, 'pending')"

/** The result of removing each pet, by the pet's name. */
const removed = Effect.gen(function* () {
  const pets = yield* PetRepository
  const all: ReadonlyArray<Pet> = yield* pets.list({ status: Option.none(), after: Option.none(), limit: 100 })
  const outcomes = yield* Effect.forEach(all, (pet) => Effect.either(pets.remove(pet)))
  return Object.fromEntries(
    all.map(({ name }, index) => [
      name,
      outcomes[index]?.pipe(Either.match({ onLeft: ({ _tag }) => _tag, onRight: () => "removed" })),
    ]),
  )
})

withFile("a pending pet that manual SQL inserted is not reserved", (path) =>
  Effect.provide(
    Effect.gen(function* () {
      yield* byHand(path, pending)
      expect(yield* removed).toStrictEqual({ Ada: "removed", Bello: "removed" })
    }),
    storeIn(path),
  ),
)

withFile("manual SQL changes the revision", (path) =>
  Effect.provide(
    Effect.gen(function* () {
      const { revision } = yield* petFreshness
      const changes = () => Option.getOrThrow(revision()).changes
      yield* byHand(path, pending)
      for (const sql of [
        "UPDATE pets SET name = 'Rex'",
        "UPDATE pets SET status = 'sold' WHERE id = 1",
        "DELETE FROM pets",
        "INSERT INTO pets (id, name, category_id) VALUES (40, 'Dodo', 1)",
        "INSERT INTO pets (id, name, category_id) VALUES (20, 'Coco', 1)",
      ]) {
        const before = changes()
        yield* byHand(path, sql)
        expect(changes()).toBeGreaterThan(before)
      }
    }),
    storeIn(path),
  ),
)
