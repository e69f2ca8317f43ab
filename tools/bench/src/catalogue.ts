/** A store for the bench: our own schema, an account with a key, and as many animals as asked for. */
import { copyFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { CredentialRepository, createAccount, createApiKey } from "@petstore/core"
import { decodeDatabaseUrl, nodeCryptography, storage } from "@petstore/storage"
import { Effect, Layer, Option } from "effect"

/** Every fourth animal has no status, and the others take turns. */
const statusOf = `CASE n % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END`

/** Makes the store at `path` and answers an API key of it. */
export const makeCatalogue = async (path: string, animals: number): Promise<string> => {
  const url = Option.getOrThrow(decodeDatabaseUrl(`sqlite:${path}`))
  const key = await Effect.runPromise(
    Effect.gen(function* () {
      yield* CredentialRepository
      yield* createAccount("bench")
      return yield* createApiKey({ accountName: "bench", deployment: "development", lifetimeMillis: Option.none() })
    }).pipe(Effect.provide(Layer.merge(storage(url, { migrate: true }), nodeCryptography))),
  )
  const database = new DatabaseSync(path)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${animals})
    INSERT INTO pets (name, category_id, status) SELECT 'Pet number ' || n, n % 50, ${statusOf} FROM numbers;
    PRAGMA wal_checkpoint(TRUNCATE);
  `)
  database.close()
  return key.secret
}

/** A copy of a store for one server alone. */
export const copyCatalogue = (from: string, to: string): void => copyFileSync(from, to)
