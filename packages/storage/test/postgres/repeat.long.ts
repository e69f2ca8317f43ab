/** Tests which statements the PostgreSQL adapter retries. */
import { PetId, PetRepository } from "@petstore/core"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { claimOf } from "../claim.js"
import { sql, tagOf, withLine, withStore } from "../postgres-store.js"

const bello = { name: "Bello", categoryId: 7n }

const insert = Effect.flatMap(PetRepository, (pets) => pets.insert(bello))
const insertOnce = Effect.flatMap(PetRepository, (pets) => pets.insertOnce(bello, claimOf("k")))
const find = (id: bigint) => Effect.flatMap(PetRepository, (pets) => pets.find(PetId.make(id)))

/** Makes the server refuse the next inserts with an error code. Counts every attempt, even one that is rolled back. */
const refuse = (url: string, code: string, times: number) =>
  sql(
    url,
    `CREATE SEQUENCE IF NOT EXISTS attempts;
     CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('attempts') <= ${times} THEN RAISE EXCEPTION 'as told' USING ERRCODE = '${code}'; END IF;
       RETURN NEW;
     END $$;
     CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )

const attempts = async (url: string): Promise<number> =>
  Number((await sql(url, "SELECT last_value FROM attempts"))[0]?.["last_value"])
const count = async (url: string): Promise<number> => (await sql(url, "SELECT id FROM pets")).length

describe("a create request", () => {
  for (const code of ["40001", "40P01", "25006"]) {
    it(`is retried after ${code}, because the statement had no effect`, () =>
      withStore(async (store, url) => {
        await refuse(url, code, 2)
        expect(await store.run(insert)).toMatchObject(bello)
        expect(await attempts(url)).toBe(3)
        expect(await count(url)).toBe(1)
      }))
  }

  it("fails after a few attempts", () =>
    withStore(async (store, url) => {
      await refuse(url, "40001", 1_000_000)
      expect(await store.run(tagOf(insert))).toBe("StorageUnavailable")
      expect(await attempts(url)).toBe(5)
    }))

  for (const code of ["40003", "08006", "57P01", "53100", "57014"]) {
    it(`is not retried after ${code}`, () =>
      withStore(async (store, url) => {
        await refuse(url, code, 1)
        expect(await store.run(tagOf(insert))).toBe("StorageUnavailable")
        expect(await attempts(url)).toBe(1)
        expect(await store.run(tagOf(insert))).toBe("success")
      }))
  }

  it("under a claim is retried if its outcome is unknown", () =>
    withStore(async (store, url) => {
      await refuse(url, "40003", 2)
      expect(await store.run(insertOnce)).toMatchObject({ value: bello })
      expect(await attempts(url)).toBe(3)
    }))
})

describe("when the connection breaks", () => {
  it("a read is retried on another connection", () =>
    withLine(async (store, line) => {
      const pet = await store.run(insert)
      let cuts = 0
      line.onNext("SELECT", () => {
        cuts += 1
        return "cut"
      })
      expect(await store.run(find(pet.id))).toStrictEqual(Option.some(pet))
      expect(cuts).toBe(1)
    }))

  it("a create request is not retried, because the pet might already exist", () =>
    withLine(async (store, line, url) => {
      await store.run(insert)
      line.onNext("create", () => "cut")
      expect(await store.run(tagOf(insert))).toBe("StorageUnavailable")
      expect(await count(url)).toBe(1)
    }))

  it("a pet exists only once if the response to its create request was lost", () =>
    withLine(async (store, line, url) => {
      await store.run(insert)
      // The statement reaches the server, but its result does not come back.
      line.onNext("create", () => {
        queueMicrotask(line.silence)
        return "pass"
      })
      const outcome = store.run(tagOf(insert))
      await expect.poll(() => count(url)).toBe(2)
      line.cut()
      line.resume()
      expect(await outcome).toBe("StorageUnavailable")
      expect(await store.run(tagOf(insert))).toBe("success")
      expect(await count(url)).toBe(3)
    }))

  it("a create request under a claim returns the created pet if the first response was lost", () =>
    withLine(async (store, line, url) => {
      await store.run(insert)
      line.onNext("create", () => {
        queueMicrotask(line.silence)
        return "pass"
      })
      const outcome = store.run(insertOnce)
      await expect.poll(() => count(url)).toBe(2)
      line.cut()
      line.resume()
      const { value: pet } = await outcome
      expect(await count(url)).toBe(2)
      expect(await store.run(find(pet.id))).toStrictEqual(Option.some(pet))
    }))
})

describe("pets that share an insert statement", () => {
  it("get unique identifiers, whatever their content", () =>
    withStore(async (store) => {
      const given = Array.from({ length: 300 }, (_, index) => ({
        name: index % 3 === 0 ? "Same" : `Pet ${index} {,"\\} NULL`,
        categoryId: BigInt(index % 2),
        ...(index % 5 === 0 && { status: "sold" as const }),
      }))
      const kept = await store.run(
        Effect.flatMap(PetRepository, (pets) => Effect.forEach(given, (pet) => pets.insert(pet), { concurrency: "unbounded" })),
      )
      expect(kept.map(({ id: _, ...pet }) => pet)).toStrictEqual(given)
      expect(kept.map(({ id }) => id)).toStrictEqual(kept.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1)))
      for (const pet of kept.slice(0, 20)) expect(await store.run(find(pet.id))).toStrictEqual(Option.some(pet))
      expect(new Set(kept.map(({ id }) => id)).size).toBe(given.length)
    }))

  it("are not affected if another pet is refused", () =>
    withStore(async (store, url) => {
      const names = ["Ada", "a\0b", "Coco"]
      const exits = await store.run(
        Effect.flatMap(PetRepository, (pets) =>
          Effect.forEach(names, (name) => Effect.exit(pets.insert({ name, categoryId: 1n })), { concurrency: "unbounded" }),
        ),
      )
      expect(exits.map(({ _tag }) => _tag)).toStrictEqual(["Success", "Failure", "Success"])
      expect((await sql(url, "SELECT name FROM pets ORDER BY id")).map(({ name }) => name)).toStrictEqual(["Ada", "Coco"])
    }))
})
