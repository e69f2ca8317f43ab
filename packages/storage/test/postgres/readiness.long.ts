/**
 * Tests whether a PostgreSQL store is ready while another session has locked the table with which a process proves that it can
 * write.
 */
import { Readiness } from "@petstore/core"
import { Effect } from "effect"
import { Client } from "pg"
import { expect, it } from "vitest"
import { postgresStorage } from "../../src/postgres/storage.js"
import { unhurried, withStore } from "../postgres-store.js"

/** Enough time for three proofs and the pauses between them. */
const provenMillis = 20_000

const readyAfter = async (begin: string): Promise<string> => {
  let outcome = ""
  await withStore(async (_, url) => {
    const other = new Client({ connectionString: url })
    await other.connect()
    try {
      outcome = await Effect.gen(function* () {
        const { check } = yield* Readiness
        yield* Effect.promise(() => other.query(begin))
        yield* Effect.sleep(provenMillis)
        return yield* Effect.match(check, { onSuccess: () => "ready", onFailure: ({ _tag }) => _tag })
      }).pipe(
        Effect.provide(
          postgresStorage(url, { migrate: false, hasReaders: true, postgres: { ...unhurried, statementTimeoutMillis: 300 } }),
        ),
        Effect.runPromise,
      )
    } finally {
      await other.end()
    }
  })
  return outcome
}

it("is ready while it waits for a lock, such as VACUUM FULL's, because a waiting write has not failed", async () => {
  expect(await readyAfter("BEGIN; LOCK TABLE petstore_processes IN ACCESS EXCLUSIVE MODE")).toBe("ready")
})

it("is not ready while writes fail for another reason", async () => {
  expect(await readyAfter("ALTER TABLE petstore_processes ADD CHECK (false) NOT VALID")).toBe("StorageUnavailable")
})
