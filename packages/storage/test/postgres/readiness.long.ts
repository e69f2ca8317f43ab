/** Tests whether a PostgreSQL store is ready while its test writes wait or fail. */
import { PetRepository, Readiness } from "@petstore/core"
import { Effect, Schedule } from "effect"
import { expect, it } from "vitest"
import { postgresStorage } from "../../src/postgres/storage.js"
import { unhurried, withClient, withStore } from "../postgres-store.js"

/** Enough time for three test writes and the pauses between them. */
const provenMillis = 20_000

const readyAfter = async (
  begin: string,
  meanwhile: Effect.Effect<unknown, never, PetRepository> = Effect.never,
): Promise<string> => {
  let outcome = ""
  await withStore(async (_, url) => {
    await withClient(url, async (other) => {
      outcome = await Effect.gen(function* () {
        const { check } = yield* Readiness
        yield* Effect.promise(() => other.query(begin))
        yield* Effect.race(Effect.sleep(provenMillis), meanwhile)
        return yield* Effect.match(check, { onSuccess: () => "ready", onFailure: ({ _tag }) => _tag })
      }).pipe(
        Effect.provide(
          postgresStorage(url, { migrate: false, hasReaders: true, postgres: { ...unhurried, statementTimeoutMillis: 300 } }),
        ),
        Effect.runPromise,
      )
    })
  })
  return outcome
}

it("a store stays ready while its test write waits for a lock, such as the lock of VACUUM FULL", async () => {
  expect(await readyAfter("BEGIN; LOCK TABLE petstore_processes IN ACCESS EXCLUSIVE MODE")).toBe("ready")
})

it("a store is not ready while the disk has no room for new pets, even if the test write fits", async () => {
  const noRoom = `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION no_room()`
  const creates = Effect.flatMap(PetRepository, (pets) => pets.insert({ name: "Ada", categoryId: 1n })).pipe(
    Effect.ignore,
    Effect.repeat(Schedule.spaced(1_000)),
  )
  expect(await readyAfter(noRoom, creates)).toBe("StorageUnavailable")
})

it("a store is not ready while its test writes violate a constraint", async () => {
  expect(await readyAfter("ALTER TABLE petstore_processes ADD CHECK (false) NOT VALID")).toBe("StorageUnavailable")
})
