/** A start finds the names that SQL by hand has written, beside the requests of the service. */
import { PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import { petFreshness } from "../pet-freshness.js"
import { byHand, otherConnection, storeIn, withFile } from "../sqlite-file.js"

/** Every row of `pet_words`, also of pets that do not exist, and the words that wait. */
const wordsIn = (path: string) =>
  Effect.scoped(
    Effect.map(otherConnection(path), (connection) => {
      const statement = connection.prepare(`SELECT docid, words FROM pet_words
        UNION ALL SELECT id, substr(waiting_words, 2) FROM pets WHERE waiting_words <> '' ORDER BY 1`)
      statement.setReadBigInts(true)
      return statement.all().map((row) => [row["docid"], row["words"]])
    }),
  )

/** The number of the last change. */
const changesIn = (path: string) =>
  Effect.scoped(
    Effect.map(otherConnection(path), (connection) =>
      Number(connection.prepare("SELECT max(id) AS last FROM changes").get()?.["last"]),
    ),
  )

const named = (word: string) =>
  Effect.gen(function* () {
    const { pets } = yield* (yield* PetRepository).search({ words: [word], order: "asc", limit: 100 })
    return pets.map(({ name }) => name)
  })

const insert = (name: string) => Effect.flatMap(PetRepository, (pets) => pets.insert({ name, categoryId: 1n }))

const untilWords = (path: string, words: ReadonlyArray<unknown>) =>
  Effect.promise(() => expect.poll(() => Effect.runPromise(wordsIn(path)), { timeout: 20_000 }).toStrictEqual(words))

withFile("a start corrects the words of names that SQL has added, changed and removed by hand", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(Effect.forEach(["Ada", "Bella", "Coco", "Dora"], insert), storeIn(path))
    yield* byHand(
      path,
      `UPDATE pets SET name = 'Élan Adé' WHERE id = 2; UPDATE pets SET id = 40 WHERE id = 3; DELETE FROM pets WHERE id = 4;
        INSERT INTO pets (id, name, category_id) VALUES (-5, 'Mr. Milo', 1), (9007199254740993, '-', 1)`,
    )
    const words = [
      [-5n, "mr milo"],
      [1n, "ada"],
      [2n, "elan ade"],
      [40n, "coco"],
      [2n ** 53n + 1n, ""],
    ]
    yield* Effect.provide(
      Effect.gen(function* () {
        yield* untilWords(path, words)
        // Otherwise, a page that was cached before would stay without these pets.
        const { revision } = yield* petFreshness
        const changes = () => Option.getOrThrow(revision()).changes
        const recorded = yield* changesIn(path)
        yield* Effect.promise(() => expect.poll(changes).toBeGreaterThan(recorded))
        expect(yield* named("ad")).toStrictEqual(["Ada", "Élan Adé"])
        expect(yield* named("mi")).toStrictEqual(["Mr. Milo"])
        expect(yield* Effect.forEach(["bella", "dora"], named)).toStrictEqual([[], []])
      }),
      storeIn(path),
    )
  }),
)

const many = `INSERT INTO pets (name, category_id)
  WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 3000) SELECT 'Pet ' || value, 1 FROM n`

withFile("a start corrects the words of more pets than it compares at once, and creates go on", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(Effect.void, storeIn(path))
    yield* byHand(path, `${many}; INSERT INTO pet_words (docid, words) VALUES (20000, 'gone')`)
    yield* Effect.provide(
      Effect.gen(function* () {
        const { id } = yield* insert("Rex")
        expect(yield* named("rex")).toStrictEqual(["Rex"])
        const expected = Array.from({ length: 3_000 }, (_, index) => [BigInt(index + 1), `pet ${index + 1}`])
        yield* untilWords(path, [...expected, [id, "rex"]])
      }),
      storeIn(path),
    )
  }),
)

withFile("pets that are created together share a segment of the index, although each runs triggers", (path) =>
  Effect.gen(function* () {
    const names = Array.from({ length: 600 }, (_, index) => `Pet ${index}`)
    yield* Effect.provide(Effect.forEach(names, insert, { concurrency: "unbounded" }), storeIn(path))
    const segments = yield* Effect.scoped(
      Effect.map(otherConnection(path), (connection) => connection.prepare("SELECT level FROM pet_words_segdir").all()),
    )
    // The first pet has a transaction of its own, and each transaction adds to the index of words and to that of first letters.
    expect(segments.length).toBeLessThanOrEqual(4)
  }),
)

withFile("a new pet replaces words that SQL has written for its identifier", (path) =>
  Effect.gen(function* () {
    yield* Effect.provide(
      Effect.gen(function* () {
        yield* byHand(path, "INSERT INTO pet_words (docid, words) VALUES (2, 'gone'), (3, 'gone')")
        yield* Effect.forEach(["Ada", "Bella"], insert)
        expect(yield* Effect.forEach(["ada", "bella"], named)).toStrictEqual([["Ada"], ["Bella"]])
        expect(yield* wordsIn(path)).toContainEqual([2n, "bella"])
      }),
      storeIn(path),
    )
  }),
)
