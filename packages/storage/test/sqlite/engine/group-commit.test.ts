/** Writes in one tick share a transaction, and each has its own outcome. */

import { DatabaseSync } from "node:sqlite"
import { CredentialRepository, PetRepository, StorageUnavailable, type ValidNewPet } from "@petstore/core"
import { Cause, Duration, Effect, Exit, Fiber, Option, type Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { sqliteStorage } from "../../../src/sqlite/storage.js"
import {
  byHand,
  failing,
  failsWith,
  observedSqlite,
  onNewFile,
  otherConnection,
  pragma,
  storeIn,
  transactionsInLog,
  withFile,
} from "../../sqlite-file.js"

const pet = (name: string, rest: Partial<ValidNewPet> = {}): ValidNewPet => ({ name, categoryId: 1n, ...rest })

const manyPets = (count: number): ReadonlyArray<ValidNewPet> => Array.from({ length: count }, (_, index) => pet(`Pet ${index}`))

const all = Effect.flatMap(PetRepository, (pets) => pets.list({ status: Option.none(), after: Option.none(), limit: 10_000 }))

/** Runs a test on a store in a new file. The test receives the file's path. */
const onFile = (
  name: string,
  test: (path: string) => Effect.Effect<void, unknown, PetRepository | CredentialRepository | Scope.Scope>,
) => withFile(name, (path) => Effect.provide(test(path), storeIn(path)))

describe("group commit", () => {
  onFile("puts writes that arrive together into few transactions", (path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const before = transactionsInLog(path)
      yield* Effect.forEach(manyPets(1000), (pet) => pets.insert(pet), { concurrency: "unbounded" })
      expect(yield* all).toHaveLength(1000)
      // There are at most 512 writes in a transaction.
      expect(transactionsInLog(path) - before).toBe(2)
    }),
  )

  onFile("commits successive writes in separate transactions", (path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const before = transactionsInLog(path)
      yield* Effect.forEach(manyPets(10), (pet) => pets.insert(pet))
      expect(transactionsInLog(path) - before).toBe(10)
    }),
  )

  onFile("resolves a write only when another connection can read it", (path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const other = (yield* otherConnection(path)).prepare("SELECT name FROM pets WHERE id = ?")
      const seen = yield* Effect.forEach(
        manyPets(50),
        (given) => Effect.map(pets.insert(given), ({ id }) => other.get(id)?.["name"] === given.name),
        { concurrency: 7 },
      )
      expect(seen).toStrictEqual(seen.map(() => true))
    }),
  )

  onFile("resolves a lone write without waiting for other writes", () =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const turns = yield* Effect.promise(
        () =>
          new Promise<number>((resolve) => {
            let count = 0
            let answered = false
            const turn = () => {
              if (answered || count > 1000) resolve(count)
              else {
                count += 1
                setImmediate(turn)
              }
            }
            Effect.runCallback(pets.insert(pet("Bello")), {
              onExit: () => {
                answered = true
              },
            })
            setImmediate(turn)
          }),
      )
      // Counts ticks and not time, because many ticks could pass during a timer.
      expect(turns).toBeLessThanOrEqual(3)
    }),
  )

  onFile("fails only the bad writes", () =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const credentials = yield* CredentialRepository
      const tooLarge = pet("too large", { categoryId: 2n ** 63n })
      const ofNobody = {
        id: "key_1",
        accountId: "acc_nobody",
        deployment: "production" as const,
        createdAt: new Date(0),
        expiresAt: Option.none(),
        revokedAt: Option.none(),
        lastUsedOn: Option.none(),
        label: Option.none(),
        readOnly: false,
      }
      const good = manyPets(20)
      const exits = yield* Effect.all(
        [
          ...good.slice(0, 10).map((one) => Effect.exit(pets.insert(one))),
          Effect.exit(pets.insert(tooLarge)),
          Effect.exit(credentials.insertApiKey(ofNobody, "0".repeat(64))),
          Effect.exit(pets.insertAll(Stream.make([pet("first of all"), tooLarge, pet("last of all")]))),
          ...good.slice(10).map((one) => Effect.exit(pets.insert(one))),
        ],
        { concurrency: "unbounded" },
      )
      expect(exits.map(({ _tag }) => _tag === "Success")).toStrictEqual(
        [...good.slice(0, 10), false, false, false, ...good.slice(10)].map(Boolean),
      )
      expect(new Set((yield* all).map(({ name }) => name))).toStrictEqual(new Set(good.map(({ name }) => name)))
      expect(yield* all).toHaveLength(20)
    }),
  )
})

describe("pets that arrive together", () => {
  const insertTogether = (pets: ReadonlyArray<ValidNewPet>) =>
    Effect.flatMap(PetRepository, (repository) =>
      Effect.forEach(pets, (pet) => Effect.exit(repository.insert(pet)), { concurrency: "unbounded" }),
    )
  const storedIn = <A, E>(exits: ReadonlyArray<Exit.Exit<A, E>>): ReadonlyArray<A> =>
    exits.filter(Exit.isSuccess).map(({ value }) => value)
  const changesOf = (path: string) =>
    Effect.map(otherConnection(path), (other) =>
      other
        .prepare("SELECT pet_id, json_extract(after, '$.pet.name') AS name FROM changes WHERE actor IS NULL ORDER BY id")
        .all()
        .map((row) => [row["pet_id"], row["name"]]),
    )

  it.each([
    ["AFTER", "ABORT, 'unlucky'", "unlucky"],
    ["BEFORE", "IGNORE", "kept the pet out"],
  ])(
    "are all stored, each with its change, except for those that a trigger by hand refuses: %s INSERT, %s",
    (when, how, reason) =>
      onNewFile((path) =>
        Effect.gen(function* () {
          yield* PetRepository
          yield* byHand(
            path,
            `CREATE TRIGGER refuse ${when} INSERT ON pets WHEN NEW.name IN ('Pet 12', 'Pet 39') BEGIN SELECT RAISE(${how}); END`,
          )
          const exits = yield* insertTogether(manyPets(40))
          const stored = storedIn(exits)
          const causes = exits.filter(Exit.isFailure).map(({ cause }) => Cause.pretty(cause))
          expect(causes).toStrictEqual(Array(2).fill(expect.stringContaining(reason)))
          const names = manyPets(40).map(({ name }) => name)
          expect(stored.map(({ name }) => name)).toStrictEqual(names.filter((name) => !["Pet 12", "Pet 39"].includes(name)))
          expect(yield* all).toStrictEqual(stored)
          expect(yield* changesOf(path)).toStrictEqual(stored.map(({ id, name }) => [Number(id), name]))
        }).pipe(Effect.provide(storeIn(path))),
      ),
  )

  onFile("get their own identifiers if one trigger by hand keeps a pet out and another inserts one", (path) =>
    Effect.gen(function* () {
      yield* byHand(
        path,
        `CREATE TRIGGER no_spam BEFORE INSERT ON pets WHEN NEW.name = 'spam' BEGIN SELECT RAISE(IGNORE); END;
         CREATE TRIGGER twins AFTER INSERT ON pets WHEN NEW.name = 'mother' BEGIN
           INSERT INTO pets (name, category_id) VALUES ('twin', 1); END`,
      )
      const stored = storedIn(yield* insertTogether(["a", "spam", "mother", "b"].map((name) => pet(name))))
      expect(stored.map(({ name }) => name)).toStrictEqual(["a", "mother", "b"])
      expect((yield* all).filter(({ name }) => name !== "twin")).toStrictEqual(stored)
    }),
  )

  it.each([1, 2])("are stored in no other form than their own: of %i", (count) =>
    onNewFile((path) =>
      Effect.gen(function* () {
        yield* PetRepository
        yield* byHand(
          path,
          `CREATE TRIGGER quarantine BEFORE INSERT ON pets WHEN NEW.name LIKE 'Pet%' BEGIN
             INSERT INTO pets (name, category_id) VALUES ('quarantined', 1); SELECT RAISE(IGNORE); END`,
        )
        expect(storedIn(yield* insertTogether(manyPets(count)))).toStrictEqual([])
        expect(yield* all).toStrictEqual([])
      }).pipe(Effect.provide(storeIn(path))),
    ),
  )

  onFile("get their own identifiers if a trigger by hand inserts further pets", (path) =>
    Effect.gen(function* () {
      yield* byHand(
        path,
        `CREATE TRIGGER twins AFTER INSERT ON pets WHEN NEW.name LIKE '%7' BEGIN
           INSERT INTO pets (name, category_id) VALUES ('twin of ' || NEW.name, 1); END`,
      )
      const stored = storedIn(yield* insertTogether(manyPets(40)))
      expect(stored).toHaveLength(40)
      const found = yield* all
      expect(found).toHaveLength(44)
      expect(found.filter(({ name }) => !name.startsWith("twin"))).toStrictEqual(stored)
    }),
  )
})

describe("insertAll", () => {
  onFile("leaves the connection usable if a waiting batch cannot be stored", () =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const tooLarge = pet("too large", { categoryId: 2n ** 63n })
      const exit = yield* Effect.exit(pets.insertAll(Stream.make(manyPets(3), [pet("first"), tooLarge], manyPets(3))))
      expect(Exit.isFailure(exit)).toBe(true)
      const after = yield* pets.insert(pet("after"))
      expect(yield* all).toStrictEqual([after])
      expect(yield* pets.insertAll(Stream.make(manyPets(3), manyPets(3), manyPets(3)))).toBe(9)
    }),
  )
})

describe("a program that writes many rows", () => {
  onFile("rests for longer than its transaction took if another program has written meanwhile", (path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const other = yield* otherConnection(path)
      const insertMany = (count: number) =>
        Effect.map(Effect.timed(pets.insertAll(Stream.make(manyPets(count)))), ([took]) => took)
      yield* insertMany(1)
      yield* pets.insert(pet("not by another program"))
      const [alone, afterAlone] = [yield* insertMany(20_000), yield* insertMany(1)]
      other.exec("INSERT INTO pets (name, category_id) VALUES ('Bello', 1)")
      const [beside, afterBeside] = [yield* insertMany(20_000), yield* insertMany(1)]
      expect(Duration.toMillis(afterAlone)).toBeLessThan(Duration.toMillis(alone))
      expect(Duration.toMillis(afterBeside)).toBeGreaterThan(Duration.toMillis(beside))
    }),
  )
})

describe("a store that another connection has locked", () => {
  onFile("refuses writes after a while, still serves reads, and recovers when the lock is released", (path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const kept = yield* pets.insert(pet("before"))
      const other = yield* otherConnection(path)
      other.exec("BEGIN IMMEDIATE")
      const writes = yield* Effect.fork(
        Effect.forEach(manyPets(10), (one) => Effect.flip(pets.insert(one)), { concurrency: "unbounded" }),
      )
      const bulk = yield* Effect.fork(Effect.flip(pets.insertAll(Stream.make(manyPets(10)))))
      let readsMeanwhile = 0
      while ((yield* Fiber.poll(writes))._tag === "None") {
        expect(yield* pets.find(kept.id)).toStrictEqual(Option.some(kept))
        readsMeanwhile += 1
        yield* Effect.sleep(10)
      }
      expect((yield* Fiber.join(writes)).every((failure) => failure instanceof StorageUnavailable)).toBe(true)
      // Many rows wait longer, because a service that writes all the time leaves the lock only now and then.
      expect((yield* Fiber.poll(bulk))._tag).toBe("None")
      expect(yield* Fiber.join(bulk)).toBeInstanceOf(StorageUnavailable)
      expect(readsMeanwhile).toBeGreaterThan(1)

      other.exec("ROLLBACK")
      const after = yield* pets.insert(pet("after"))
      expect(yield* all).toStrictEqual([kept, after])
    }),
  )

  onFile("makes writes wait for a lock that is soon released", (path) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const other = yield* otherConnection(path)
      other.exec("BEGIN IMMEDIATE")
      const writes = yield* Effect.fork(Effect.forEach(manyPets(10), (pet) => pets.insert(pet), { concurrency: "unbounded" }))
      yield* Effect.sleep(100)
      expect((yield* Fiber.poll(writes))._tag).toBe("None")
      other.exec("ROLLBACK")
      expect(yield* Fiber.join(writes)).toHaveLength(10)
      expect(yield* all).toHaveLength(10)
    }),
  )
})

describe("a failed commit", () => {
  withFile("stores and acknowledges none of its writes, and does not affect the next commit", (path) => {
    let broken = false
    // A disk cannot be made to fail exactly at the commit, so this engine throws as SQLite would.
    const Failing = failing(() => (broken ? failsWith(10, "disk I/O error") : undefined))
    const test = Effect.gen(function* () {
      const pets = yield* PetRepository
      const before = yield* pets.insert(pet("before"))
      broken = true
      const failures = yield* Effect.forEach(manyPets(10), (one) => Effect.flip(pets.insert(one)), {
        concurrency: "unbounded",
      })
      expect(failures.every((failure) => failure instanceof StorageUnavailable)).toBe(true)
      expect(yield* all).toStrictEqual([before])
      broken = false
      const after = yield* pets.insert(pet("after"))
      expect(yield* all).toStrictEqual([before, after])
    })
    return Effect.provide(test, sqliteStorage(Failing, path, { migrate: true }))
  })
})

describe("a failed rollback", () => {
  /** Runs a test on a store whose connection throws on demand. */
  const onFailing = (
    name: string,
    test: (fails: (...statements: ReadonlyArray<string>) => void) => Effect.Effect<void, unknown, PetRepository>,
  ) =>
    withFile(name, (path) => {
      let failing: ReadonlyArray<string> = []
      const check = (sql: string) => {
        if (failing.some((start) => sql.startsWith(start))) throw failsWith(10, "disk I/O error")
      }
      class Failing extends DatabaseSync {
        override exec(sql: string) {
          check(sql)
          super.exec(sql)
        }
        override prepare(sql: string) {
          const statement = super.prepare(sql)
          const run = statement.run.bind(statement)
          statement.run = (...values: Array<never>) => {
            check(sql)
            return run(...values)
          }
          return statement
        }
      }
      const tell = (...statements: ReadonlyArray<string>) => {
        failing = statements
      }
      return Effect.provide(test(tell), sqliteStorage(Failing, path, { migrate: true }))
    })

  onFailing("affects only its own transaction's writes, and none of them is committed later", (fails) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      fails("COMMIT", "ROLLBACK")
      const failures = yield* Effect.forEach(manyPets(3), (one) => Effect.flip(pets.insert(one)), { concurrency: "unbounded" })
      expect(failures.every((failure) => failure instanceof StorageUnavailable)).toBe(true)
      fails()
      const after = yield* pets.insert(pet("after"))
      expect(yield* all).toStrictEqual([after])
    }),
  )

  onFailing("also affects the other writes in its transaction, and no part of an import is committed", (fails) =>
    Effect.gen(function* () {
      const pets = yield* PetRepository
      const tooLarge = pet("too large", { categoryId: 2n ** 63n })
      fails("ROLLBACK TO")
      const exits = yield* Effect.all(
        [Effect.exit(pets.insert(pet("beside"))), Effect.exit(pets.insertAll(Stream.make([...manyPets(60), tooLarge])))],
        { concurrency: "unbounded" },
      )
      expect(exits.map(({ _tag }) => _tag)).toStrictEqual(["Failure", "Failure"])
      fails()
      const after = yield* pets.insert(pet("after"))
      expect(yield* all).toStrictEqual([after])
    }),
  )
})

describe("a store that is full", () => {
  withFile("acknowledges exactly the stored writes, and recovers when there is space again", (path) => {
    // The page limit is per connection, so it must be set on the store's own connection.
    const { Sqlite, opened } = observedSqlite()
    const test = Effect.gen(function* () {
      const pets = yield* PetRepository
      const [connection] = opened
      connection?.exec(`PRAGMA max_page_count = ${Number(pragma(connection, "page_count")) + 5}`)
      const insertSome = (count: number) =>
        Effect.forEach(
          Array.from({ length: count }, (_, index) => pet(`${index} ${"x".repeat(1000)}`)),
          (one) => Effect.either(pets.insert(one)),
          { concurrency: 4 },
        )
      const results = yield* insertSome(60)
      const acknowledged = results.flatMap((result) => (result._tag === "Right" ? [result.right] : []))
      const refused = results.flatMap((result) => (result._tag === "Left" ? [result.left] : []))
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(refused.length).toBeGreaterThan(0)
      expect(yield* all).toStrictEqual(acknowledged)

      connection?.exec("PRAGMA max_page_count = 1000000")
      const later = yield* insertSome(5)
      expect(yield* all).toStrictEqual([
        ...acknowledged,
        ...later.flatMap((result) => (result._tag === "Right" ? [result.right] : [])),
      ])
      expect(yield* all).toHaveLength(acknowledged.length + 5)
    })
    return Effect.provide(test, sqliteStorage(Sqlite, path, { migrate: true }))
  })
})
